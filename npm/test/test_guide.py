"""What docs/guides/javascript.md shows is what happens."""

import re
import subprocess
from pathlib import Path

from conftest import CHECKOUT, HERE

GUIDE = CHECKOUT / "docs" / "guides" / "javascript.md"
SHOWN = re.compile(
    r"```js\n// (\w+\.mjs)\n(.*?)```\n\n```console\n\$ node (\S+ )?\1\n(.*?)```", re.DOTALL
)


def test_shown_programs_print_what_is_shown(tmp_path: Path) -> None:
    """Each program of the guide, in a folder where the package is installed."""
    (tmp_path / "node_modules").symlink_to(HERE.parent / "node_modules")
    shown = SHOWN.findall(GUIDE.read_text("utf-8"))

    assert len(shown) >= 4
    for name, program, option, printed in shown:
        (tmp_path / name).write_text(program, "utf-8")
        command = ["node", *option.split(), name]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
        assert done.stdout.decode() == printed, name
