//! How rights are asked for: what is sent, and that a flood of requests does not become one of reviews. The API server is
//! a local one that counts.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail loudly"
)]

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use draguard::cluster::access::Access;
use draguard::model::access::{Answer, Question};
use draguard::model::request::Caller;
use serde_json::{Value, json};

const LONG: Duration = Duration::from_secs(10);

type Reply = dyn Fn(&Value) -> (u16, Value) + Send + Sync;

/// An API server that answers reviews, and keeps what it was asked.
struct Server {
    asked: Arc<Mutex<Vec<Value>>>,
    port: u16,
}

impl Server {
    fn answering(reply: impl Fn(&Value) -> (u16, Value) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (asked, reply): (Arc<Mutex<Vec<Value>>>, Arc<Reply>) = (Arc::default(), Arc::new(reply));
        let server = Self { asked: Arc::clone(&asked), port };
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (asked, reply) = (Arc::clone(&asked), Arc::clone(&reply));
                std::thread::spawn(move || while answer(&stream, &asked, &*reply).is_some() {});
            }
        });
        server
    }

    /// Says yes to these verbs only.
    fn granting(verbs: &'static [&'static str]) -> Self {
        Self::answering(move |attributes| (201, allowed(verbs.contains(&attributes["verb"].as_str().unwrap()))))
    }

    fn access(&self) -> Access {
        let config = kube::Config::new(format!("http://127.0.0.1:{}", self.port).parse().unwrap());
        Access::new(kube::Client::try_from(config).unwrap())
    }

    fn verbs(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        asked.iter().map(|spec| spec["resourceAttributes"]["verb"].as_str().unwrap().to_owned()).collect()
    }
}

fn answer(mut stream: &TcpStream, asked: &Mutex<Vec<Value>>, reply: &Reply) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let review: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(
        (&review["apiVersion"], &review["kind"]),
        (&json!("authorization.k8s.io/v1"), &json!("SubjectAccessReview"))
    );
    asked.lock().unwrap().push(review["spec"].clone());
    let (code, body) = reply(&review["spec"]["resourceAttributes"]);
    let body = body.to_string();
    let head = format!("HTTP/1.1 {code} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all((head + &body).as_bytes()).ok()
}

fn allowed(allowed: bool) -> Value {
    json!({"status": {"allowed": allowed, "reason": "", "evaluationError": "some role is missing"}})
}

fn someone() -> Caller {
    Caller {
        username: "system:serviceaccount:ns:someone".to_owned(),
        uid: "u1".to_owned(),
        groups: vec!["system:serviceaccounts".to_owned()],
        extra: [("authentication.kubernetes.io/node-name".to_owned(), vec!["node-a".to_owned()])].into(),
    }
}

fn driver(name: &str, is_associated: bool) -> Question {
    Question::Driver { name: name.to_owned(), namespace: "ns".to_owned(), is_associated }
}

async fn one(access: &Access, caller: &Caller, question: Question) -> Answer {
    access.answers(caller, BTreeSet::from([question.clone()]), LONG).await[&question]
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_asked_what_the_api_server_would_ask() {
    let server = Server::granting(&[]);
    let access = server.access();
    let questions = BTreeSet::from([Question::Binding, driver("d.example.com", true)]);
    let answers = access.answers(&someone(), questions, LONG).await;
    assert!(answers.values().all(|answer| *answer == Answer::Denied) && answers.len() == 2, "{answers:?}");
    let mut asked = server.asked.lock().unwrap().clone();
    asked.sort_by_key(|spec| spec["resourceAttributes"]["subresource"].to_string());
    assert_eq!(
        asked[0],
        json!({
            "user": "system:serviceaccount:ns:someone", "uid": "u1", "groups": ["system:serviceaccounts"],
            "extra": {"authentication.kubernetes.io/node-name": ["node-a"]},
            "resourceAttributes": {
                "group": "resource.k8s.io", "version": "v1", "resource": "resourceclaims", "subresource": "binding",
                "verb": "update", "namespace": "", "name": "",
            },
        })
    );
    let about_driver = &asked[2]["resourceAttributes"];
    assert_eq!((&about_driver["namespace"], &about_driver["name"]), (&json!("ns"), &json!("d.example.com")));
    let verbs: Vec<&str> = asked.iter().map(|spec| spec["resourceAttributes"]["verb"].as_str().unwrap()).collect();
    assert_eq!(
        verbs,
        [
            "update",
            "patch",
            "associated-node:update",
            "associated-node:patch",
            "arbitrary-node:update",
            "arbitrary-node:patch"
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn any_of_the_verbs_is_enough() {
    let server = Server::granting(&["arbitrary-node:update"]);
    let access = server.access();
    assert_eq!(one(&access, &someone(), driver("d", true)).await, Answer::Allowed);
    assert_eq!(server.verbs(), ["associated-node:update", "associated-node:patch", "arbitrary-node:update"]);
    assert_eq!(one(&access, &someone(), Question::Binding).await, Answer::Denied);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_who_ask_the_same_at_a_time_cause_one_review() {
    let server = Server::answering(|_| {
        std::thread::sleep(Duration::from_millis(300));
        (201, allowed(true))
    });
    let access = server.access();
    let asking: Vec<_> = (0..50)
        .map(|_| {
            let access = access.clone();
            tokio::spawn(async move { one(&access, &someone(), Question::Binding).await })
        })
        .collect();
    for answer in asking {
        assert_eq!(answer.await.unwrap(), Answer::Allowed);
    }
    assert_eq!(server.verbs(), ["update"]);
    let other = Caller { groups: Vec::new(), ..someone() };
    assert_eq!(one(&access, &other, Question::Binding).await, Answer::Allowed);
    assert_eq!(server.verbs().len(), 2);
    assert_eq!((access.signs().reviews.count(), access.signs().remembered.count()), (2, 49));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_no_is_forgotten_before_a_yes_is() {
    let server = Server::granting(&["update"]);
    let access = server.access();
    let start = Instant::now();
    one(&access, &someone(), Question::Binding).await;
    one(&access, &someone(), driver("d", false)).await;
    let asked = server.verbs().len();
    tokio::time::sleep(Duration::from_secs(5)).await;
    one(&access, &someone(), driver("d", false)).await;
    assert_eq!(server.verbs().len(), asked + 2);
    one(&access, &someone(), Question::Binding).await;
    assert!(server.verbs().len() == asked + 2 || start.elapsed() > Duration::from_secs(10));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_an_answer_nothing_is_known() {
    for (code, body) in
        [(403, json!({"message": "no"})), (500, json!({})), (201, json!({"status": {}})), (201, json!(5))]
    {
        let server = Server::answering(move |_| (code, body.clone()));
        assert_eq!(one(&server.access(), &someone(), Question::Binding).await, Answer::Unknown, "{code}");
    }
    // The first verb could not be asked: a no to the second says nothing.
    let half = Server::answering(
        |attributes| {
            if attributes["verb"] == "update" { (500, json!({})) } else { (201, allowed(false)) }
        },
    );
    assert_eq!(one(&half.access(), &someone(), Question::Binding).await, Answer::Unknown);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_waits_longer_than_its_deadline_and_the_answer_is_there_for_the_next() {
    let server = Server::answering(|_| {
        std::thread::sleep(Duration::from_millis(700));
        (201, allowed(true))
    });
    let access = server.access();
    let start = Instant::now();
    let hasty = access.answers(&someone(), [Question::Binding].into(), Duration::from_millis(50)).await;
    assert_eq!((hasty[&Question::Binding], start.elapsed() < Duration::from_millis(600)), (Answer::Unknown, true));
    assert_eq!(one(&access, &someone(), Question::Binding).await, Answer::Allowed);
    assert_eq!(server.verbs(), ["update"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_that_asks_too_much_is_not_asked_about() {
    let server = Server::granting(&["arbitrary-node:update"]);
    let access = server.access();
    let questions: BTreeSet<Question> = (0..200).map(|nth| driver(&format!("d{nth}"), false)).collect();
    let answers = access.answers(&someone(), questions, LONG).await;
    let asked = server.verbs().len();
    assert!((64..=100).contains(&asked), "{asked}");
    assert_eq!(answers.values().filter(|answer| **answer == Answer::Unknown).count(), 200 - asked);
    let other = Caller { username: "another".to_owned(), ..someone() };
    assert_eq!(one(&access, &other, driver("d", false)).await, Answer::Allowed);
}
