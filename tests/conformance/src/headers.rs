//! What stands in the headers of a request: what it is, its revision, and arguments that a tool wants there.

use std::error::Error;

use mcp_client::{InputKinds, Outcome};
use serde_json::json;

use crate::environment::{Environment, calls};

/// `request-metadata`: the revision in header and `_meta`. The first request is refused for its revision, and the client must try
/// the same one again.
pub(crate) async fn metadata(environment: &Environment) -> Result<(), Box<dyn Error>> {
    let kinds = InputKinds::FORM | InputKinds::SAMPLING | InputKinds::ROOTS;
    let client = environment.client()?.accept_input(kinds).build()?;
    client.list_tools().all().await?;
    client.discover().send().await?;
    Ok(())
}

/// `http-standard-headers`: `Mcp-Method` and `Mcp-Name`, on requests of each method, for all that is listed.
pub(crate) async fn standard(environment: &Environment) -> Result<(), Box<dyn Error>> {
    let client = environment.client()?.build()?;
    client.discover().send().await?;
    for tool in client.list_tools().all().await?.into_items() {
        client.call_tool(tool.name).send().await?.into_success()?;
    }
    for resource in client.list_resources().all().await?.into_items() {
        if let Outcome::InputRequired(asked) = client.read_resource(resource.uri).send().await? {
            return Err(format!("nothing should be asked: {asked:?}").into());
        }
    }
    for prompt in client.list_prompts().all().await?.into_items() {
        if let Outcome::InputRequired(asked) = client.get_prompt(prompt.name).send().await? {
            return Err(format!("nothing should be asked: {asked:?}").into());
        }
    }
    Ok(())
}

/// `http-custom-headers`: arguments that go into headers, too, in the calls that the suite asks for.
pub(crate) async fn custom(environment: &Environment) -> Result<(), Box<dyn Error>> {
    let client = environment.client()?.build()?;
    client.list_tools().all().await?;
    for call in calls()? {
        client.call_tool(call.name).arguments(call.arguments).send().await?.into_success()?;
    }
    Ok(())
}

/// `http-invalid-tool-headers`: one tool is valid, the others must not be handed out. Calls whatever is.
pub(crate) async fn invalid(environment: &Environment) -> Result<(), Box<dyn Error>> {
    let client = environment.client()?.build()?;
    for tool in client.list_tools().all().await?.into_items() {
        let call = client.call_tool(tool.name).arguments(json!({ "region": "somewhere" }));
        call.send().await?.into_success()?;
    }
    Ok(())
}
