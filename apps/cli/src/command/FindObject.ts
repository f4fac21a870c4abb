import { nearestName } from "@tocsin/domain/codec"
import * as Effect from "effect/Effect"
import type { ApiClient } from "../client/ApiClient.ts"
import { listObjects } from "../client/Objects.ts"
import { CommandFailed } from "./CommandContext.ts"
import { ensureProject } from "./ProjectOfCommand.ts"

/** Finds an object by its kind as the user typed it, and its name; fails with a suggestion. */
export const findObject = (client: ApiClient, kind: string, project: string, name: string) =>
  Effect.gen(function* () {
    const [found] = yield* listObjects(client, kind, { project, name: [name] })
    if (found !== undefined) return found
    yield* ensureProject(client, project)
    const others = yield* listObjects(client, kind, { project })
    const nearest = nearestName(
      name,
      others.map(({ metadata }) => metadata.name),
    )
    const hint = nearest === undefined ? "specify the project with -p" : `did you mean ${nearest}?`
    return yield* new CommandFailed({ message: `${kind} not found in project ${project}: ${name}; ${hint}` })
  })
