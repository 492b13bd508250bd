def run(x):
    ok = float("1e3") == 1000.0 and float(" -2.5 ") == -2.5 and int(" 12 ") == 12 and int("-0x10", 16) == -16
    ok = ok and round(2.5) == 2 and round(2.675, 1) == 2.7 and round(1234, -2) == 1200 and int("1_0") == 10
    return launch(x, int("256") if ok else 3)
# --- host_error: ValueError
def run(x):
    return launch(x, int("25 6"))
