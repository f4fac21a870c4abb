import * as Schema from "effect/Schema"
import { resource } from "../operation/Operation.ts"

/** Whether the process of a server runs, with its version. Not in the OpenAPI document. */
export const health = resource("Health", {
  findHealth: {
    method: "GET",
    path: "/healthz",
    access: "open",
    success: Schema.Struct({ status: Schema.String, version: Schema.String }),
    summary: "Find out whether the server runs",
  },
})
