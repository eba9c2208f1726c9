//! A server on a thread of its own, gone when its handle is dropped.
//!
//! Each server has its own single-threaded runtime. So it works whatever runtime the test uses (also one whose clock
//! is paused, or none at all), and dropping the handle joins the thread: afterwards the port is free and no task is
//! left.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::thread::{self, JoinHandle};

use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// The handle of a server thread.
#[derive(Debug)]
pub(crate) struct Background {
    addr: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Background {
    /// Binds a free loopback port and runs `serve` on it until the handle is dropped.
    pub(crate) fn start<F, S>(name: &str, serve: F) -> io::Result<Self>
    where
        F: FnOnce(TcpListener) -> S + Send + 'static,
        S: Future<Output = ()>,
    {
        let socket = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        socket.set_nonblocking(true)?;
        let addr = socket.local_addr()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let listener = {
            let _inside = runtime.enter();
            TcpListener::from_std(socket)?
        };
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = thread::Builder::new().name(name.to_owned()).spawn(move || {
            runtime.block_on(async move {
                tokio::select! {
                    _ = stopped => {}
                    () = serve(listener) => {}
                }
            });
        })?;
        Ok(Self { addr, stop: Some(stop), thread: Some(thread) })
    }

    /// The address that the server listens on.
    pub(crate) fn addr(&self) -> SocketAddr {
        self.addr
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        // The sender's end is enough: a dropped sender wakes the receiver as well.
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A server thread that panicked has nothing left to stop.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropping_frees_the_port() {
        let server = Background::start("port", |listener| async move {
            loop {
                let _ = listener.accept().await;
            }
        })
        .unwrap();
        let addr = server.addr();
        std::net::TcpStream::connect(addr).unwrap();
        drop(server);
        std::net::TcpStream::connect(addr).unwrap_err();
        std::net::TcpListener::bind(addr).unwrap();
    }

    #[test]
    fn dropping_ends_tasks_that_would_never_end() {
        let (started, ready) = std::sync::mpsc::channel();
        let (alive, gone) = oneshot::channel::<()>();
        let server = Background::start("task", |_| async move {
            tokio::spawn(async move {
                started.send(()).unwrap();
                let _held = alive;
                std::future::pending::<()>().await;
            });
            std::future::pending::<()>().await;
        })
        .unwrap();
        ready.recv().unwrap();
        drop(server);
        assert!(gone.blocking_recv().is_err(), "the task's sender must have been dropped");
    }
}
