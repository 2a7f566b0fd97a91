# cpu.py has nothing to declare: this file says that it is compiled (scripts/manifest.py).
