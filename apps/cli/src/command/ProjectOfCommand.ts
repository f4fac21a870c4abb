import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { nearestName } from "@tocsin/domain/codec"
import { type ApiClient, readResponse } from "../client/ApiClient.ts"
import { CommandFailed } from "./CommandContext.ts"

/** Fails if there is no project of the name: a list of its objects is empty for another reason. */
export const ensureProject = (client: ApiClient, project: string) =>
  Effect.gen(function* () {
    // Objects are in it whether or not it is defined.
    if (project === "default") return
    const response = yield* client.call({
      method: "GET",
      path: "/api/get/project",
      headers: { project: "*" },
    })
    const projects = (yield* readResponse(Projects, response)).map(({ metadata }) => metadata.name)
    if (projects.includes(project)) return
    const nearest = nearestName(project, [...projects, "default"])
    const hint = nearest === undefined ? "" : `; did you mean ${nearest}?`
    return yield* new CommandFailed({ message: `project not found: ${project}${hint}` })
  })

const Projects = Schema.Array(Schema.Struct({ metadata: Schema.Struct({ name: Schema.String }) }))
