/** Documents of the service's public clients that are stored, but have no effect. Source: spec/clients §12. */
import type { DecodeOptions } from "./DecodeDefinition.ts"
import { foreignKinds } from "./ForeignKinds.ts"
import { propertyPath, type IssueList, joinPaths } from "../codec/Issue.ts"
import { isGiven, isObject } from "../codec/Leaves.ts"
import { type Labels, namePattern } from "../metadata/Metadata.ts"
import { hiddenValue } from "../codec/Codec.ts"
import { otherTypes } from "../alert-method/AlertMethod.ts"

/** Identifies an unsupported document within an organization. The project of kinds without one is `""`. */
export interface UnsupportedKey {
  /** A kind that Tocsin has no definitions of, or `AlertMethod` for a type other than `webhook`. */
  readonly kind: string
  /** `""` if the kind belongs to no project. */
  readonly project: string
  /** Unique within the project and kind. */
  readonly name: string
}

/** A document as it was applied, without its secrets, which are not stored. */
export interface UnsupportedDocument extends UnsupportedKey {
  /** JSON of the document without `apiVersion`. */
  readonly text: string
}

/** Unsupported documents to write and to delete with a change of definitions. */
export interface UnsupportedChange {
  /** Documents to create or replace. */
  readonly put: ReadonlyArray<UnsupportedDocument>
  /** Documents to delete; those that do not exist are ignored. */
  readonly remove: ReadonlyArray<UnsupportedKey>
}

/** Selects unsupported documents; what is absent selects all. */
export interface UnsupportedQuery {
  /** Default: all kinds. */
  readonly kind?: string
  /** Default: all projects. */
  readonly project?: string
  /** Default: all names. */
  readonly names?: ReadonlyArray<string>
}

/** Largest document that is stored without effect, in bytes of UTF-8. */
const unsupportedBytesMax = 65_536

type Properties = { readonly [name: string]: unknown }

const own = (properties: unknown, name: string): unknown =>
  isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined

const methodOf = (input: unknown): string | undefined => {
  const spec = own(input, "spec")
  return isObject(spec) && !Object.hasOwn(spec, "webhook")
    ? Object.keys(spec).find((name) => Object.hasOwn(otherTypes, name))
    : undefined
}

/** Whether a document is of a kind, or an alert method of a type, that Tocsin has nothing for. */
export const isUnsupported = (input: unknown): boolean => {
  const kind = own(input, "kind")
  if (kind === "AlertMethod") return methodOf(input) !== undefined
  return isOfForeignKind(input)
}

/** Whether a document is of a kind of which there are no definitions. */
export const isOfForeignKind = (input: unknown): boolean => {
  const kind = own(input, "kind")
  return typeof kind === "string" && foreignKinds.has(kind)
}

/** Why a document has no effect, as a sentence. */
export const whyUnsupported = (input: unknown): string => {
  const kind = String(own(input, "kind"))
  return kind === "AlertMethod"
    ? `Tocsin sends webhooks only: ${methodOf(input) ?? "this method"} notifies nobody.`
    : `Tocsin has no ${kind}: ${foreignKinds.get(kind) ?? "it is not supported"}.`
}

const isInProject = (kind: string): boolean => kind === "AlertMethod" || kind === "DataExport"

/** Whether objects of an unsupported kind belong to the organization, and to no project. */
export const isOrganizationForeign = (kind: string): boolean => !isInProject(kind)

/** Reads the key of a document that `isUnsupported`. */
export const readUnsupportedKey = (
  input: unknown,
  path: string,
  issues: IssueList,
  { defaultProject }: Pick<DecodeOptions, "defaultProject">,
): UnsupportedKey | undefined => {
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
  const project = isInProject(kind) ? read("project", defaultProject) : ""
  return name === undefined || project === undefined ? undefined : { kind, project, name }
}

/** Reads a document that `isUnsupported`, without its secrets. */
export const readUnsupported = (
  input: unknown,
  path: string,
  issues: IssueList,
  options: Pick<DecodeOptions, "defaultProject">,
): UnsupportedDocument | undefined => {
  const key = readUnsupportedKey(input, path, issues, options)
  if (key === undefined || !isObject(input)) return undefined
  const metadata = {
    ...(input["metadata"] as Properties),
    ...(key.project !== "" && { project: key.project }),
  }
  const text = JSON.stringify({ kind: key.kind, metadata, spec: withoutSecrets(input["spec"], "spec", 0) })
  if (text.length * 3 > unsupportedBytesMax && new TextEncoder().encode(text).length > unsupportedBytesMax)
    return issues.add(path, "too_large", `must be at most ${unsupportedBytesMax} bytes of JSON`)
  return { ...key, text }
}

/** The document as the API returns it. */
export const unsupportedToJson = ({ text }: UnsupportedDocument, apiVersion: string): object => ({
  apiVersion,
  ...(JSON.parse(text) as object),
})

/** The labels that a document has, of which nothing is validated. */
export const unsupportedLabels = ({ text }: UnsupportedDocument): Labels => {
  const labels = own(own(JSON.parse(text), "metadata"), "labels")
  return Object.fromEntries(
    Object.entries(isObject(labels) ? labels : {}).map(([key, values]) => [
      key,
      [values].flat().filter((value) => typeof value === "string"),
    ]),
  )
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
