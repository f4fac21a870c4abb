/** The Model Context Protocol over the API, as a feature of it. */
export { mcpApi, type McpRequest, type McpResponse } from "../McpApi.ts"
export type { McpCall } from "../McpCall.ts"
