//! `gchr lsp`: a server of the language server protocol, over standard input and output.
//!
//! One thread reads messages ([`framing`]), one checks texts ([`checking`]), and this one answers ([`answers`]): so a
//! program that takes long to compile keeps nobody waiting. Whatever a client sends, there is an answer or a line on
//! standard error, and the server goes on.

mod answers;
mod checking;
mod documents;
mod framing;
mod withdrawn;

use std::io;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::PublishDiagnosticsParams;
use lsp_types::notification::{self, Notification as _};
use serde_json::{Value, json};

use super::exit::Exit;
use super::{interrupt, report, streams};
use checking::{Checked, Checker};
use documents::Documents;
use framing::Incoming;
use withdrawn::Withdrawn;

/// How often signals are looked for.
const LOOK: Duration = Duration::from_millis(200);

/// Arguments of `gchr lsp`.
#[derive(clap::Args)]
pub struct Args {
    /// Standard input and output: the only way, and the default. Many editors give it
    #[arg(long)]
    stdio: bool,
}

/// What the server hears.
enum Event {
    Incoming(Incoming),
    /// Nothing comes any more.
    End,
    Checked(Checked),
}

/// How far a connection is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Before `initialize`.
    New,
    Open,
    /// After `shutdown`.
    Closing,
}

struct Server {
    phase: Phase,
    documents: Documents,
    checker: Checker,
    withdrawn: Withdrawn,
}

/// Serves until `exit`, or the end of the input.
pub fn run(args: &Args) -> Exit {
    let _ = args.stdio;
    if let Err(exit) = streams::check_input().and_then(|()| streams::check_output()) {
        return exit;
    }
    let (events, heard) = mpsc::channel();
    let (incoming, withdrawn) = (events.clone(), Withdrawn::default());
    let noted = withdrawn.clone();
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Some(message) = framing::read(&mut input) {
            if let Incoming::Message(Message::Notification(notice)) = &message {
                noted.note(notice);
            }
            if incoming.send(Event::Incoming(message)).is_err() {
                return;
            }
        }
        let _ = incoming.send(Event::End);
    });
    let checker = Checker::start(move |checked| drop(events.send(Event::Checked(checked))));
    let mut server = Server { phase: Phase::New, documents: Documents::default(), checker, withdrawn };
    loop {
        let event = match heard.recv_timeout(LOOK) {
            Ok(event) => event,
            Err(mpsc::RecvTimeoutError::Timeout) if interrupt::signal().is_none() => continue,
            Err(_) => return Exit::Failed,
        };
        match server.hear(event) {
            Ok(None) => {}
            Ok(Some(exit)) => return exit,
            Err(error) => {
                report::problem("U0107", &format!("cannot write: {error}"), "check where the output goes");
                return Exit::Failed;
            }
        }
    }
}

impl Server {
    fn hear(&mut self, event: Event) -> io::Result<Option<Exit>> {
        match event {
            Event::Checked(checked) => {
                self.checker.done();
                self.documents.take(checked).map_or(Ok(()), publish)?;
            }
            Event::Incoming(Incoming::Message(Message::Request(request))) => self.request(request)?,
            Event::Incoming(Incoming::Message(Message::Notification(notice))) => {
                return self.notice(notice);
            }
            // Nothing is asked of clients.
            Event::Incoming(Incoming::Message(Message::Response(_))) => {}
            Event::Incoming(Incoming::Wrong(code, what)) => {
                report::say(&format!("gchr: a message is left out: {what}\n"));
                let id = Value::Null;
                let error = json!({"code": code as i32, "message": what});
                framing::write(&json!({"jsonrpc": "2.0", "id": id, "error": error}))?;
            }
            Event::End => {
                let orderly = self.phase == Phase::Closing;
                if !orderly {
                    report::say("gchr: the input ended without shutdown and exit\n");
                }
                return Ok(Some(if orderly { Exit::Done } else { Exit::Failed }));
            }
        }
        Ok(None)
    }

    fn request(&mut self, request: Request) -> io::Result<()> {
        let Request { id, method, params } = request;
        let answer = match (self.phase, method.as_str()) {
            (Phase::New, "initialize") => {
                self.phase = Phase::Open;
                self.documents.agree(&params);
                Ok(answers::capabilities(self.documents.encoding()))
            }
            (Phase::New, _) => Err((ErrorCode::ServerNotInitialized, "initialize comes first".to_string())),
            (Phase::Closing, _) => Err((ErrorCode::InvalidRequest, "the server was shut down".to_string())),
            (Phase::Open, "shutdown") => {
                self.phase = Phase::Closing;
                Ok(Value::Null)
            }
            (Phase::Open, "initialize") => {
                Err((ErrorCode::InvalidRequest, "the server was initialized before".to_string()))
            }
            (Phase::Open, _) if self.withdrawn.has(&id) => {
                Err((ErrorCode::RequestCanceled, "the request was taken back".to_string()))
            }
            (Phase::Open, method) => answers::answer(&self.documents, method, params),
        };
        send_response(id, answer)
    }

    /// Takes a notice; the exit code where it ends the server.
    fn notice(&mut self, notice: Notification) -> io::Result<Option<Exit>> {
        let Notification { method, params } = notice;
        match method.as_str() {
            "exit" => {
                let orderly = self.phase == Phase::Closing;
                return Ok(Some(if orderly { Exit::Done } else { Exit::Failed }));
            }
            notification::DidOpenTextDocument::METHOD
            | notification::DidChangeTextDocument::METHOD
            | notification::DidSaveTextDocument::METHOD => match self.documents.change(&method, params) {
                Ok(jobs) => jobs.into_iter().for_each(|job| self.checker.check(job)),
                Err(error) => left_out(&method, &error),
            },
            notification::DidCloseTextDocument::METHOD => match self.documents.close(params) {
                Ok(findings) => publish(findings)?,
                Err(error) => left_out(&method, &error),
            },
            notification::Cancel::METHOD => self.withdrawn.forget(&Notification { method, params }),
            // Others, such as the end of initialization, ask for nothing.
            _ => {}
        }
        Ok(None)
    }
}

fn left_out(method: &str, why: &str) {
    report::say(&format!("gchr: {method} is left out: {why}\n"));
}

fn publish(findings: PublishDiagnosticsParams) -> io::Result<()> {
    let method = notification::PublishDiagnostics::METHOD;
    framing::write(&json!({"jsonrpc": "2.0", "method": method, "params": findings}))
}

fn send_response(id: RequestId, answer: Result<Value, (ErrorCode, String)>) -> io::Result<()> {
    let response = match answer {
        Ok(result) => Response::new_ok(id, result),
        Err((code, message)) => Response::new_err(id, code as i32, message),
    };
    let mut value = serde_json::to_value(&response).map_err(io::Error::other)?;
    if let Value::Object(fields) = &mut value {
        fields.insert("jsonrpc".into(), "2.0".into());
        // An answer of nothing is an answer.
        if !fields.contains_key("error") {
            fields.entry("result").or_insert(Value::Null);
        }
    }
    framing::write(&value)
}
