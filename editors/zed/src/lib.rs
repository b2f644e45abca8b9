//! Starts `verger lsp` for robots.txt files in Zed.

use zed_extension_api::{self as zed, settings::LspSettings, LanguageServerId, Result};

struct Verger;

impl zed::Extension for Verger {
    fn new() -> Self {
        Verger
    }

    fn language_server_command(
        &mut self,
        server: &LanguageServerId,
        worktree: &zed::Worktree,
    ) -> Result<zed::Command> {
        let binary = LspSettings::for_worktree(server.as_ref(), worktree)
            .ok()
            .and_then(|settings| settings.binary);
        let (path, arguments) =
            binary.map_or((None, None), |binary| (binary.path, binary.arguments));
        let command = path
            .or_else(|| worktree.which("verger"))
            .ok_or("verger is not installed: see its README")?;
        Ok(zed::Command {
            command,
            args: arguments.unwrap_or_else(|| vec!["lsp".to_owned()]),
            env: worktree.shell_env(),
        })
    }
}

zed::register_extension!(Verger);
