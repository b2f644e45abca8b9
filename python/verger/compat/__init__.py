"""Drop-ins for other parsers of robots.txt: the same names, signatures and return types.

    from verger.compat.robotparser import RobotFileParser   # urllib.robotparser
    from verger.compat.protego import Protego               # protego
    from verger.compat.reppy import Robots, Agent           # reppy
    from verger.compat.robotspy import RobotsParser         # robots, of the package robotspy
    from verger.compat.advertools import robotstxt_to_df    # advertools

A drop-in translates questions and answers. The core reads files and decides; the client fetches.
The pages in `docs/compat` list the differences from each original.
"""
