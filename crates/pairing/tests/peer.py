"""Pairs Swiss rounds with Gacrux, FIDE's own pairing program, for peer.rs to compare with.

On standard input come tournament reports (TRF), each ended by a line with `pair` and the pairing numbers of those who
are absent; for each goes out a line of pairs (white-black, the bye as opponent 0), or `none` if there is no pairing.
"""

import sys

from gacrux.gacruxexeptions import GacruxNoLegalPairing
from gacrux.pairingchecker import pairingchecker

OPTIONS = {
    "input_file": "",
    "output_file": "-",
    "input_format": "TRF",
    "encoding": "ascii",
    "tournament_number": "1",
    "current_round": -1,
    "number_of_rounds": 0,
    "method": ["dutch"],
    "maxmeets": "1",
    "exchange": [],
    "check": 0,
    "analysis": 0,
    "pairing": 1,
    "experimental": [],
    "verbose": 0,
}


def pair(report, absent):
    program = pairingchecker()
    program.params = OPTIONS | {"jch": report, "base64": None, "unpaired": absent}
    del program.params["base64"]
    program.read_input_file()
    program.prepare_tournament()
    try:
        program.do_checker()
    except GacruxNoLegalPairing:
        return "none"
    rounds = program.chessfile.result["roundpairing"]
    if program.exit or not rounds or not rounds[0]["pairs"]:
        return "none"
    return " ".join(f"{white}-{black}" for white, black in rounds[0]["pairs"])


def main():
    report = []
    for line in sys.stdin:
        if line.startswith("pair"):
            print(pair("".join(report), line.split()[1:]), flush=True)
            report = []
        else:
            report.append(line)


main()
