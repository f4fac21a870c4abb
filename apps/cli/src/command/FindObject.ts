import { nearestName } from "@tocsin/domain/codec"
import { isOrganizationKind, kindFromText } from "@tocsin/domain/definitions"
import * as Effect from "effect/Effect"
import type { ApiClient } from "../client/ApiClient.ts"
import { listObjects, type ObjectQuery } from "../client/Objects.ts"
import { CommandFailed } from "./CommandContext.ts"
import { ensureProject } from "./ProjectOfCommand.ts"

/**
 * Finds an object by its kind as the user typed it, and its name; fails with a suggestion. Without a project, looks in all. With
 * `filters`, the object has what they add.
 */
export const findObject = (
  client: ApiClient,
  kind: string,
  project: string | undefined,
  name: string,
  filters: Pick<ObjectQuery, "revisions"> = {},
) =>
  Effect.gen(function* () {
    const inProject = project === undefined ? {} : { project }
    const [found] = yield* listObjects(client, kind, { ...inProject, ...filters, name: [name] })
    if (found !== undefined) return found
    if (project !== undefined) yield* ensureProject(client, project)
    const others = yield* listObjects(client, kind, inProject)
    const nearest = nearestName(
      name,
      others.map(({ metadata }) => metadata.name),
    )
    return yield* notFound([kind], project, [name], nameHint(kind, project, nearest))
  })

/** How to find the right name, unless `nearest` is likely meant. The project may be the default one, and not given. */
export const nameHint = (kind: string, project: string | undefined, nearest: string | undefined): string => {
  if (nearest !== undefined) return `did you mean ${nearest}?`
  if (isOrganizationKind(kindFromText(kind) ?? kind))
    return `\`tocsin get ${kind.toLowerCase()}\` lists the names`
  if (project === "default") return "specify the project with -p"
  return `\`tocsin get ${kind.toLowerCase()} ${project === undefined ? "-A" : `-p ${project}`}\` lists the names`
}

/** `Alert method not found in project shop: on-cal; did you mean on-call?` The kinds are as the user typed them. */
export const notFound = (
  kinds: ReadonlyArray<string>,
  project: string | undefined,
  names: ReadonlyArray<string>,
  hint: string,
): CommandFailed => {
  const where = project === undefined ? "" : ` in project ${project}`
  return new CommandFailed({
    message: `${kinds.map(wordsOfKind).join(", ")} not found${where}: ${names.join(", ")}; ${hint}`,
  })
}

const wordsOfKind = (text: string): string => {
  const words = (kindFromText(text) ?? text).replaceAll(
    /(?<=[a-z])[A-Z]/g,
    (letter) => ` ${letter.toLowerCase()}`,
  )
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}
