# cpu.py needs no declarations: this file marks it as compiled (scripts/manifest.py).
