"""The protocol of many courses' Othello players: ``I B``, ``R B``, ``B d 3``, ``C text``."""
