//! The server as a process of its own.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Command, Stdio},
};

use crate::{Result, server::Stats};

/// A running server; it ends with its standard input, and so with this.
#[derive(Debug)]
pub struct Server {
    child: Child,
    address: String,
}

impl Server {
    /// Starts it, and waits until it listens.
    pub fn start(command: &mut Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let out = child.stdout.take().ok_or("no output")?;
        let mut address = String::new();
        BufReader::new(out).read_line(&mut address)?;
        Ok(Self { child, address: address.trim().to_owned() })
    }

    /// Where it is called.
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// What it counted since it was last asked.
    pub fn stats(&self) -> Result<Stats> {
        let mut stream = TcpStream::connect(&self.address)?;
        stream.write_all(b"GET /stats HTTP/1.1\r\nhost: bench\r\nconnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (_, body) = answer.split_once("\r\n\r\n").ok_or("no answer of HTTP")?;
        Ok(serde_json::from_str(body)?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// The instructions in what callgrind says at the end.
pub fn instructions(said: &str) -> Option<u64> {
    let (_, count) = said.split_once("Collected : ")?;
    count.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_callgrind_counted_is_read() {
        assert_eq!(instructions("==7== \n==7== Collected : 1234567\n==7=="), Some(1_234_567));
        assert_eq!(instructions("==7== valgrind: failed"), None);
    }
}
