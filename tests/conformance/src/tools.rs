//! Tools: listed, called, and their schemas left alone.

use std::error::Error;

use serde_json::json;

use crate::environment::Environment;

/// `tools_call`: lists the tools and adds two numbers.
pub(crate) async fn call(environment: &Environment) -> Result<(), Box<dyn Error>> {
    let client = environment.client()?.build()?;
    client.list_tools().all().await?;
    client.call_tool("add_numbers").arguments(json!({ "a": 2, "b": 3 })).send().await?.into_success()?;
    Ok(())
}

/// `json-schema-ref-no-deref`: lists a tool whose schema refers to another document, which nobody may fetch.
pub(crate) async fn reference(environment: &Environment) -> Result<(), Box<dyn Error>> {
    let client = environment.client()?.build()?;
    client.list_tools().all().await?;
    Ok(())
}

/// `json-schema-2020-12-preservation`: sends a listed schema back as it came.
pub(crate) async fn preservation(environment: &Environment) -> Result<(), Box<dyn Error>> {
    let client = environment.client()?.build()?;
    let tools = client.list_tools().all().await?;
    let tool = tools.items().iter().find(|tool| tool.name == "json_schema_2020_12_tool");
    let schema = &tool.ok_or("the tool is not listed")?.input_schema;
    client
        .call_tool("json_schema_echo")
        .arguments(json!({ "schema": schema }))
        .send()
        .await?
        .into_success()?;
    Ok(())
}
