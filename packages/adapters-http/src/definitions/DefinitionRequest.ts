import { DefinitionsAreInvalid } from "@tocsin/domain"
import type { Issue, IssueCode } from "@tocsin/domain/codec"
import { isOrganizationKind, kindFromText } from "@tocsin/domain/definitions"
import type { Kind } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { everyProject, ParametersAreInvalid, projectOf } from "../frame/RequestParameters.ts"
import { KindIsUnknown } from "./DefinitionErrors.ts"

/** The kind of a text, such as one in a query; fails with `KindIsUnknown`. */
export const parseKind = (text: string): Effect.Effect<Kind, KindIsUnknown> =>
  Effect.mapError(Effect.fromNullishOr(kindFromText(text)), () => new KindIsUnknown({ kind: text }))

/** The kind in the path of a request. */
export const kindOf = ({ pathParams: { kind = "" } }: ApiRequest) => parseKind(kind)

/** The project of a request about definitions of one project; those of some kinds belong to none, and any is accepted. */
export const oneProjectOf = (
  request: ApiRequest,
  kind: Kind | undefined,
): Effect.Effect<string, ParametersAreInvalid> => {
  const project = projectOf(request)
  return project === everyProject && (kind === undefined || !isOrganizationKind(kind))
    ? invalid("Project", "not_allowed_value", "must be one project")
    : Effect.succeed(project)
}

/** Fails with an issue of a parameter. */
export const invalid = (path: string, code: IssueCode, message: string) =>
  Effect.fail(new ParametersAreInvalid({ issues: [{ path, code, message }] }))

/** Fails with issues of definitions. */
export const reject = (issues: ReadonlyArray<Issue>) => Effect.fail(new DefinitionsAreInvalid({ issues }))
