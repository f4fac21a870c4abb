import * as Effect from "effect/Effect"
import { nearestName } from "@tocsin/domain/codec"
import type { ApiClient } from "../client/ApiClient.ts"
import { listObjects } from "../client/Objects.ts"
import { CommandFailed } from "./CommandContext.ts"

/** Fails if there is no project of the name: a list of its objects is empty for another reason. */
export const ensureProject = (client: ApiClient, project: string) =>
  Effect.gen(function* () {
    // Objects are in it whether or not it is defined.
    if (project === "default") return
    const projects = (yield* listObjects(client, "project", {})).map(({ metadata }) => metadata.name)
    if (projects.includes(project)) return
    const nearest = nearestName(project, [...projects, "default"])
    const hint =
      nearest === undefined ? "; `tocsin get projects` lists the projects" : `; did you mean ${nearest}?`
    return yield* new CommandFailed({ message: `Project not found: ${project}${hint}` })
  })
