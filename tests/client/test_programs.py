"""Whole programs that use a client: how they end, are interrupted, and fork.

In: programs in processes of their own, every warning an error, and a server on loopback that
counts. Out: exit codes, what was printed, and nothing on stderr.
"""

import signal

import pytest

from client.script import Done, done, ended, started
from client.server import serving
from patience import LONG

pytestmark = pytest.mark.slow

SILENT = Done(0, ["False"], "")


@pytest.mark.parametrize("closes", ["web.close()", "web.close(); web.close()", ""])
@pytest.mark.parametrize("store", ["None", "sys.argv[2]"])
def test_ends(closes: str, store: str, tmp_path: object) -> None:
    """A program ends well whether it closes its client or not: no warning, nothing on stderr."""
    with serving() as server:
        source = f"""
            web = verger.Client(BOT, store={store})
            print(web.allowed(url + "/private"))
            {closes}
        """

        assert done(source, server.url, f"{tmp_path}/robots.sqlite3") == SILENT
        assert server.asked.total() == 1


def test_ends_while_fetching() -> None:
    """A fetch under way, that a thread waits for, does not hold up the end of the program."""
    with serving(is_open=False) as server:
        process = started(
            """
            web = verger.Client(BOT, limits=PATIENT)
            def ask():
                try:
                    web.allowed(url)
                except verger.RobotsError:
                    pass
            threading.Thread(target=ask, daemon=True).start()
            sys.stdin.readline()
            """,
            server.url,
        )
        assert server.arrived.wait(LONG)
        assert process.stdin is not None
        process.stdin.write("go\n")
        finished = ended(process)

        assert finished == Done(0, [], "")


def test_ends_with_an_exception() -> None:
    """The trace of the program's own error is all that is on stderr."""
    with serving() as server:
        finished = done(
            """
            web = verger.Client(BOT, limits=PATIENT)
            print(web.allowed(url + "/private"))
            raise SystemExit("the program's own words")
            """,
            server.url,
        )

        assert finished == Done(1, ["False"], "the program's own words\n")


def test_many_clients_end() -> None:
    """Clients that were dropped, closed and left open end together."""
    with serving() as server:
        finished = done(
            """
            import gc
            for n in range(5):
                web = verger.Client(BOT, limits=PATIENT)
                web.allowed(url + "/private")
                if n == 2:
                    web.close()
            del web
            gc.collect()
            left = [verger.Client(BOT, limits=PATIENT) for _ in range(3)]
            print(any(web.allowed(url + "/private") for web in left))
            """,
            server.url,
        )

        assert finished == SILENT
        assert server.asked.total() == 8


# Interruption


def test_interrupted() -> None:
    """Ctrl-C ends the wait at once; the client goes on working, and the program ends well."""
    with serving(is_open=False) as server:
        process = started(
            """
            signal.signal(signal.SIGINT, signal.default_int_handler)
            web = verger.Client(BOT, limits=PATIENT)
            try:
                web.allowed(url)
            except KeyboardInterrupt:
                print("interrupted", flush=True)
            sys.stdin.readline()
            print(web.allowed(url + "/private"))
            """,
            server.url,
        )
        assert server.arrived.wait(LONG)
        process.send_signal(signal.SIGINT)
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "interrupted\n"

        server.gate.set()
        process.stdin.write("go\n")
        assert ended(process) == SILENT
        assert server.asked.total() == 1


def test_interrupted_for_good() -> None:
    """A program that does not catch it ends by it, quickly, with its own trace alone."""
    with serving(is_open=False) as server:
        process = started(
            """
            signal.signal(signal.SIGINT, signal.default_int_handler)
            verger.Client(BOT, limits=PATIENT).allowed(url)
            """,
            server.url,
        )
        assert server.arrived.wait(LONG)
        process.send_signal(signal.SIGINT)
        finished = ended(process)

        assert finished.code == -signal.SIGINT
        assert finished.err.splitlines()[0].startswith("Traceback")
        assert finished.err.splitlines()[-1] == "KeyboardInterrupt"
        assert finished.err.count("Traceback") == 1


# Forking

FORK = """
    def in_child(act):
        "Run something in a child process, and print what came of it."
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            act()
            sys.stdout.flush()
            # as a program ends, with its exit handlers
            sys.exit(0)
        return child

    def wait_for(child):
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print("child", code, flush=True)
"""


def test_fork() -> None:
    """A child answers from the memory it inherits and fetches what is missing; so does the parent,
    on the connections that it had."""
    with serving() as server:
        finished = done(
            FORK
            + """
    web = verger.Client(BOT, limits=PATIENT, connect_to=[sys.argv[2]])
    web.allowed("http://a.example/")
    def act():
        print(threading.active_count(), web.allowed("http://a.example/private"))
        print(threading.active_count(), web.allowed("http://b.example/private"))
    wait_for(in_child(act))
    print(web.allowed("http://a.example/private"), web.allowed("http://c.example/private"))
    print(web.refresh("http://a.example/").access.effect)
    """,
            server.url,
            server.connect_to,
        )

        assert finished == Done(0, ["1 False", "1 False", "child 0", "False False", "rules"], "")
        assert server.asked == {"a.example": 2, "b.example": 1, "c.example": 1}


def test_fork_while_fetching() -> None:
    """What is under way stays the parent's: it gets its answer, the child makes its own fetch, and
    the child's end takes nothing from the parent."""
    with serving(is_open=False) as server:
        process = started(
            FORK
            + """
    web = verger.Client(BOT, limits=PATIENT, connect_to=[sys.argv[2]])
    told = []
    asking = threading.Thread(target=lambda: told.append(web.allowed("http://a.example/private")))
    asking.start()
    sys.stdin.readline()
    child = in_child(lambda: print(web.allowed("http://a.example/private")))
    wait_for(child)
    asking.join()
    print(told)
    """,
            server.url,
            server.connect_to,
        )
        assert server.arrived.wait(LONG)
        server.arrived.clear()
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
        assert server.arrived.wait(LONG)
        server.gate.set()

        assert ended(process) == Done(0, ["False", "child 0", "[False]"], "")
        assert server.asked == {"a.example": 2}


@pytest.mark.parametrize("ending", ["os._exit(0)", "sys.exit(0)", "web.close(); sys.exit(0)"])
def test_child_that_asks_nothing(ending: str) -> None:
    """A child that never uses the client, or only closes it, leaves the parent's alone."""
    with serving() as server:
        finished = done(
            FORK
            + f"""
    web = verger.Client(BOT, limits=PATIENT, connect_to=[sys.argv[2]])
    web.allowed("http://a.example/")
    def act():
        {ending}
    wait_for(in_child(act))
    print(web.refresh("http://a.example/").allowed("http://a.example/private"))
    """,
            server.url,
            server.connect_to,
        )

        assert finished == Done(0, ["child 0", "False"], "")


def test_fork_with_a_store(tmp_path: object) -> None:
    """Parent and children share a store: each origin is fetched once among them all."""
    with serving() as server:
        finished = done(
            FORK
            + """
    web = verger.Client(BOT, limits=PATIENT, connect_to=[sys.argv[2]], store=sys.argv[3])
    names = [f"http://{n}.example" for n in range(8)]
    web.allowed(names[0])
    def act():
        web.prefetch(names)
        assert not any(web.allowed(name + "/private") for name in names)
    children = [in_child(act) for _ in range(3)]
    act()
    for child in children:
        wait_for(child)
    """,
            server.url,
            server.connect_to,
            f"{tmp_path}/robots.sqlite3",
        )

        assert finished == Done(0, ["child 0"] * 3, "")
        assert server.asked == {f"{n}.example": 1 for n in range(8)}


# Processes that share a store


def test_one_fetch_for_many_processes(tmp_path: object) -> None:
    """Processes that ask for the same origins at the same time fetch each of them once."""
    source = """
        web = verger.Client(BOT, limits=PATIENT, connect_to=[sys.argv[2]], store=sys.argv[3])
        names = [f"http://{n}.example" for n in range(30)]
        print("ready", flush=True)
        sys.stdin.readline()
        web.prefetch(names)
        print(any(web.allowed(name + "/private") for name in names))
    """
    with serving() as server:
        words = (server.url, server.connect_to, f"{tmp_path}/robots.sqlite3")
        processes = [started(source, *words) for _ in range(2)]
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()

        assert [ended(process) for process in processes] == [SILENT] * 2
        assert server.asked == {f"{n}.example": 1 for n in range(30)}


def test_killed_while_fetching(tmp_path: object) -> None:
    """A process that is killed keeps nobody from its origin for longer than a fetch may take; what
    it had stored is there."""
    source = """
        from verger.fetching.limits import FetchLimits
        options = {"connect_to": [sys.argv[2]], "store": sys.argv[3]}
        web = verger.Client(BOT, limits=PATIENT, **options)
        print(web.allowed("http://a.example/private"), flush=True)
        if sys.stdin.readline() == "be killed\\n":
            web = verger.Client(BOT, limits=FetchLimits(total=3), **options)
        print(web.allowed("http://b.example/private"), flush=True)
    """
    with serving() as server:
        words = (server.url, server.connect_to, f"{tmp_path}/robots.sqlite3")
        killed = started(source, *words)
        assert killed.stdout is not None
        assert killed.stdin is not None
        assert killed.stdout.readline() == "False\n"
        server.gate.clear()
        server.arrived.clear()
        killed.stdin.write("be killed\n")
        killed.stdin.flush()
        assert server.arrived.wait(LONG)
        killed.kill()
        killed.communicate()
        server.gate.set()
        other = started(source, *words)
        assert other.stdin is not None
        other.stdin.write("go\n")

        assert ended(other) == Done(0, ["False", "False"], "")
        assert server.asked == {"a.example": 1, "b.example": 2}
