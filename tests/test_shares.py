"""Over as many commits as there are parts, every case runs once, and none is left out for ever."""

from collections import Counter

from shares import left_for_others

CASES = [f"test_a.py::test_many[{n}]" for n in range(7)]
FEW = ["test_a.py::test_few[0]", "test_a.py::test_few[1]", "test_b.py::test_alone"]
SINGLE = ["test_a.py::test_one", "test_a.py::test_another"]


def test_each_case_runs_with_one_number_of_as_many_as_there_are_parts() -> None:
    """Whatever the first number is."""
    ran = Counter[str]()
    for number in range(100, 103):
        ran.update(set(CASES) - set(left_for_others(CASES, 3, number)))

    assert ran == Counter(CASES)


def test_tests_of_one_case_are_the_cases_of_their_file() -> None:
    """Each runs with every other number, where there are two in a file."""
    ran = [set(SINGLE) - set(left_for_others([*CASES, *SINGLE], 3, n)) for n in range(4)]

    assert ran == 2 * [{SINGLE[0]}, {SINGLE[1]}]


def test_of_a_test_with_fewer_cases_than_parts_one_runs() -> None:
    """With every number, and each of them with some."""
    ran = [set(FEW) - set(left_for_others([*CASES, *FEW], 3, number)) for number in range(4)]

    assert ran == 2 * [{FEW[0], FEW[2]}, {FEW[1], FEW[2]}]
