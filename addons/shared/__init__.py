"""Files and searches that several add-ons share; this folder is not an add-on."""
