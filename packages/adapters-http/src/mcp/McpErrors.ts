import { invalidBody, type StatusTable } from "../frame/ErrorResponse.ts"
import type { ToolArgumentsAreInvalid } from "./McpTools.ts"

export const mcpErrors: StatusTable<ToolArgumentsAreInvalid> = {
  ToolArgumentsAreInvalid: ({ issues }) => invalidBody("Invalid arguments", issues),
}
