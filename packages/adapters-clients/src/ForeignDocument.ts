/** Documents of the service's public clients that Tocsin has nothing for. Source: spec/clients §12. */
import type { KeptDocument, ObjectKey } from "@tocsin/domain"
import { hiddenValue, isGiven, isObject, type IssueList, joinPaths, propertyPath } from "@tocsin/domain/codec"
import { otherMethodTypes } from "@tocsin/domain/definitions"
import { namePattern } from "@tocsin/domain/kernel"

const roles = "the roles of credentials say who can change what: use tocsin credentials"

/** Kinds that Tocsin has no definitions of, with what to use instead. */
const foreignKinds = {
  UserGroup: { home: "organization", instead: roles },
  RoleBinding: { home: "organization", instead: roles },
  DataExport: {
    home: "project",
    instead: "read values with the API, or the database with tocsin export",
  },
} as const

/** Largest document that is kept, in bytes of UTF-8. */
const keptBytesMax = 65_536

const own = (properties: unknown, name: string): unknown =>
  isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined

const methodOf = (input: unknown): string | undefined => {
  const spec = own(input, "spec")
  return own(input, "kind") === "AlertMethod" && isObject(spec) && !Object.hasOwn(spec, "webhook")
    ? Object.keys(spec).find((name) => otherMethodTypes.includes(name))
    : undefined
}

/** Whether a document is an alert method of a type that Tocsin does not send. */
export const isForeignMethod = (input: unknown): boolean => methodOf(input) !== undefined

/** Whether a document is of a kind of which there are no definitions. */
export const isOfForeignKind = (input: unknown): boolean => {
  const kind = own(input, "kind")
  return typeof kind === "string" && Object.hasOwn(foreignKinds, kind)
}

/** Reports that Tocsin has no definitions of the kind of a document. */
export const rejectForeignKind = (input: unknown, path: string, issues: IssueList): void => {
  const message = noDefinitions(String(own(input, "kind")))
  issues.add(propertyPath(path, "kind"), "not_allowed_value", message)
}

/** Why a document has no effect, as a sentence. */
export const whyForeign = (input: unknown): string => {
  const kind = String(own(input, "kind"))
  return kind === "AlertMethod"
    ? `Tocsin sends webhooks only: ${methodOf(input) ?? "this method"} notifies nobody.`
    : `${noDefinitions(kind)}.`
}

const noDefinitions = (kind: string): string =>
  `Tocsin has no ${kind}: ${own(own(foreignKinds, kind), "instead")}`

/** Kinds of documents that can be kept as they were given: alert methods of other types than `webhook`, too. */
export const keptKinds = [
  ...Object.entries(foreignKinds).map(([kind, { home }]) => ({ kind, home })),
  { kind: "AlertMethod", home: "project" as const },
].map((each) => ({ ...each, whyKept: whyForeign }))

/** Reads the key of a foreign document. */
export const readForeignKey = (
  input: unknown,
  path: string,
  issues: IssueList,
  { defaultProject }: { readonly defaultProject?: string },
): ObjectKey | undefined => {
  const kind = String(own(input, "kind"))
  const metadata = own(input, "metadata")
  const at = propertyPath(path, "metadata")
  const read = (property: string, fallback?: string): string | undefined => {
    const given = own(metadata, property) ?? fallback
    if (given === undefined) issues.add(joinPaths(at, property), "required", "is required")
    else if (typeof given !== "string" || given.length > 63 || !namePattern.test(given)) {
      const message = "must be a valid name: at most 63 lowercase letters, digits and hyphens"
      issues.add(joinPaths(at, property), "invalid_format", message)
    } else return given
    return undefined
  }
  const name = read("name")
  const isInProject = keptKinds.some((each) => each.kind === kind && each.home === "project")
  const project = isInProject ? read("project", defaultProject) : ""
  return name === undefined || project === undefined ? undefined : { kind, project, name }
}

/** Reads a foreign document, without its secrets. */
export const readForeign = (
  input: unknown,
  path: string,
  issues: IssueList,
  options: { readonly defaultProject?: string },
): KeptDocument | undefined => {
  const key = readForeignKey(input, path, issues, options)
  if (key === undefined || !isObject(input)) return undefined
  const metadata = {
    ...(input["metadata"] as object),
    ...(key.project !== "" && { project: key.project }),
  }
  const text = JSON.stringify({ kind: key.kind, metadata, spec: withoutSecrets(input["spec"], "spec", 0) })
  if (text.length * 3 > keptBytesMax && new TextEncoder().encode(text).length > keptBytesMax)
    return issues.add(path, "too_large", `must be at most ${keptBytesMax} bytes of JSON`)
  return { ...key, text }
}

/** A `projectKey` is the name of a project of Jira. */
const secretName = /secret|passw|token|(?<!project)key$|^auth|credential|cookie|signature/i

/** Methods whose `url` is no secret. */
const openUrls = new Set(["jira", "opsgenie"])

/** Hides what looks like a secret: in `path` is the name of the object that has the property. */
const withoutSecrets = (value: unknown, name: string, depth: number): unknown => {
  if (depth > 32) return hiddenValue
  if (Array.isArray(value)) return value.map((each) => withoutSecrets(each, name, depth + 1))
  if (typeof value === "string") return value.replace(/(:\/\/)[^/?#\s]*@/g, `$1${hiddenValue}@`)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([property, each]) => {
      const isSecret =
        secretName.test(property) ||
        (property === "value" && /header/i.test(name)) ||
        (property === "url" && !openUrls.has(name))
      return [property, isSecret && isGiven(each) ? hiddenValue : withoutSecrets(each, property, depth + 1)]
    }),
  )
}
