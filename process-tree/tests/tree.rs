//! Trees of this program, which is its own child: that has to have one thread when it begins, so there is no test harness.

/// Answers cargo-nextest's question for the names of the tests: all of them are one, and none is ignored.
#[cfg(any(target_os = "linux", windows))]
fn list(args: &[String]) {
    if !args.iter().any(|arg| arg == "--ignored") {
        println!("tree: test");
    }
}

#[cfg(target_os = "linux")]
fn main() {
    let args: Vec<String> = std::env::args().collect();
    match args.get(1).map(String::as_str) {
        Some("--list") => list(&args),
        Some("child") => linux::child(&args[2]),
        // What cargo passes on to tests, a list of names among it.
        _ => linux::tests(),
    }
}

#[cfg(windows)]
fn main() {
    let args: Vec<String> = std::env::args().collect();
    match args.get(1).map(String::as_str) {
        Some("--list") => list(&args),
        Some("supervisor") => windows::supervisor(),
        // What cargo passes on to tests, a list of names among it.
        _ => windows::what_a_dead_supervisor_has_not_put_into_a_job_is_killed(),
    }
}

#[cfg(not(any(target_os = "linux", windows)))]
fn main() {}

#[cfg(windows)]
mod windows {
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::os::windows::process::CommandExt as _;
    use std::process::{Command, Stdio};
    use std::sync::mpsc;
    use std::time::Duration;

    use windows_sys::Win32::System::Threading::CREATE_SUSPENDED;

    /// Is as far as a supervisor that is killed in the middle of [`process_tree::Tree::spawn`].
    pub fn supervisor() {
        process_tree::take_children_along();
        let mut command = Command::new(std::env::current_exe().unwrap());
        let mut child = command.creation_flags(CREATE_SUSPENDED).spawn().unwrap();
        println!("{}", child.id());
        // For ever, as nothing resumes it.
        child.wait().unwrap();
    }

    pub fn what_a_dead_supervisor_has_not_put_into_a_job_is_killed() {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg("supervisor").stdout(Stdio::piped());
        let mut supervisor = command.spawn().unwrap();
        let mut output = BufReader::new(supervisor.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert!(line.trim().parse::<u32>().is_ok(), "{line:?}");
        supervisor.kill().unwrap();
        supervisor.wait().unwrap();
        // The suspended process has the pipe, which ends with it.
        let (sender, ended) = mpsc::channel();
        std::thread::spawn(move || {
            let mut rest = String::new();
            sender.send(output.read_to_string(&mut rest)).unwrap();
        });
        let ended = ended.recv_timeout(Duration::from_mins(1));
        assert_eq!(ended.unwrap().unwrap(), 0);
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io::{BufRead as _, BufReader};
    use std::process::{Child, Command, ExitStatus, Stdio, exit};
    use std::time::{Duration, Instant};

    use process_tree::Tree;

    /// Starts a process in a session of its own, with an empty environment and as an orphan, which keeps the standard output.
    const ESCAPES: &str = "setsid env -i sh -c 'sleep 600 & echo $!'";

    pub fn child(how: &str) {
        process_tree::behave();
        let escapes = || {
            let ran = Command::new("sh").args(["-c", ESCAPES]).status();
            assert!(ran.unwrap().success());
        };
        match how {
            "hang" => {
                escapes();
                std::thread::sleep(Duration::from_mins(10));
            }
            "exit" => {
                escapes();
                exit(7);
            }
            "abort" => {
                escapes();
                std::process::abort();
            }
            other => panic!("{other}"),
        }
    }

    /// The child, and the process that has escaped it.
    fn start(how: &str) -> (Child, Tree, u32) {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["child", how]).stdout(Stdio::piped());
        let (mut child, tree) = Tree::spawn(&mut command).unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        (child, tree, line.trim().parse().unwrap())
    }

    /// Nobody may have taken note of the end of one that was killed: it is dead (X) or a zombie (Z).
    fn is_there(process: u32) -> bool {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        let state = status.lines().find_map(|line| line.strip_prefix("State:"));
        state.is_some_and(|state| !state.trim_start().starts_with(['X', 'Z']))
    }

    fn wait(tree: &Tree, mut child: Child) -> ExitStatus {
        assert!(tree.wait(Duration::from_mins(1)));
        child.wait().unwrap()
    }

    fn is_gone(process: u32) {
        let deadline = Instant::now() + Duration::from_mins(1);
        while is_there(process) {
            assert!(Instant::now() < deadline, "it was not killed");
            std::thread::yield_now();
        }
    }

    pub fn tests() {
        what_escapes_is_killed_with_its_own_tree_only();
        what_a_dead_process_leaves_behind_is_killed();
        what_is_left_of_a_dead_supervisor_is_killed();
    }

    fn what_escapes_is_killed_with_its_own_tree_only() {
        let (first, tree, of_first) = start("hang");
        let (second, other, of_second) = start("hang");
        tree.kill();
        assert!(!is_there(of_first), "it is dead when kill() comes back");
        wait(&tree, first);
        assert!(is_there(of_second));
        other.kill();
        wait(&other, second);
        is_gone(of_second);
    }

    fn what_a_dead_process_leaves_behind_is_killed() {
        let (child, tree, escaped) = start("exit");
        assert_eq!(wait(&tree, child).code(), Some(7));
        is_gone(escaped);
        let (child, tree, escaped) = start("abort");
        let death = process_tree::death(wait(&tree, child));
        assert_eq!(death.as_deref(), Some("SIGABRT (signal 6)"));
        is_gone(escaped);
    }

    /// The thread that starts a child stands for the supervisor.
    fn what_is_left_of_a_dead_supervisor_is_killed() {
        let started = std::thread::spawn(|| start("hang")).join();
        let (child, tree, escaped) = started.unwrap();
        wait(&tree, child);
        is_gone(escaped);
    }
}
