import {
  descriptionMaxCharacters,
  sloNameMaxCharacters,
  displayNameMaxCharacters,
  annotationValueMaxCharacters,
  annotationKeyNameMaxCharacters,
  annotationKeyPrefixMaxCharacters,
  labelKeyMaxCharacters,
  labelValueMaxCharacters,
} from "./MetadataLimits.ts"
import { type Codec, described, mapped, type TypeOf } from "../codec/Codec.ts"
import { always, list, object, optional, type OptionalField, record } from "../codec/Containers.ts"
import { isGiven, string } from "../codec/Leaves.ts"
import { plainLine } from "../codec/PlainText.ts"
import type { ProjectKey } from "./ObjectKey.ts"
import { nameMaxCharacters } from "../codec/NameFromDisplayName.ts"

/** Names of objects, of any length: lowercase letters, digits and `-`, with a letter or digit at both ends. */
export const namePattern = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/

export const nameOf = (max: number): Codec<string, unknown, string> =>
  described(
    string({
      max,
      format: {
        pattern: namePattern,
        message: "must consist of lowercase letters, digits and -, and begin and end with a letter or digit",
      },
    }),
    "Lowercase letters, digits and -; begins and ends with a letter or digit",
  )

/** A name of an alert method, alert policy, project or service. */
export const objectName = nameOf(nameMaxCharacters)

/** A name of an SLO or an objective. */
export const sloName = nameOf(sloNameMaxCharacters)

/** The object that is defined; references without a project get its project. */
export interface OwnerContext {
  /** Its project and name. */
  readonly owner: ProjectKey
}

/** The codec of a reference with a project and a name. */
export const projectKey = (name: Codec<string, unknown, string>) => object({ name, project: objectName })

/** A reference whose project defaults to that of the owner. */
export const ownedKey = (
  name: Codec<string, unknown, string>,
): Codec<ProjectKey, OwnerContext, { readonly name: string; readonly project?: string | undefined }> =>
  mapped(object({ name, project: optional(objectName) }), {
    decode: (key, _path, _issues, { owner }: OwnerContext): ProjectKey => ({
      name: key.name,
      project: key.project ?? owner.project,
    }),
    encode: (key) => key,
  })

/** A display name. */
export const displayName = string({ max: displayNameMaxCharacters })

/** A description. */
export const description = string({ max: descriptionMaxCharacters })

/** The `spec` of a kind that has a description only. */
export const descriptionSpec = object({ description: optional(description) })

const labelKeyPattern = /^\p{Ll}(?:[\p{Ll}0-9_-]*[\p{Ll}0-9])?$/u

/** Whether a text can be the key of a label. */
export const isLabelKey = (text: string): boolean =>
  labelKeyPattern.test(text) && [...text].length <= labelKeyMaxCharacters

/** What the key of a label must be. */
export const labelKeyRule =
  "a key of lowercase letters, digits, - and _ that begins with a letter and ends with a letter or digit"

const labelsWith = (value: Codec<string, unknown, string>) => {
  const values = list(value)
  return record(
    string({
      max: labelKeyMaxCharacters,
      format: { pattern: labelKeyPattern, message: `must have ${labelKeyRule}` },
    }),
    {
      ...values,
      read: (input, path, issues, context) => {
        if (isScalar(input)) return issues.add(path, "wrong_type", labelValuesRule)
        const read = values.read(input, path, issues, context)
        return read === undefined || new Set(read).size === read.length
          ? read
          : issues.add(path, "duplicate", "must not contain duplicate values")
      },
    },
  )
}

const isScalar = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value)

const labelValuesRule =
  'must be a list of strings: write [prod] for prod, with numbers, true and false in quotes, such as ["1.20"]'

/** Keys with lists of unique values, which can be empty. */
export const labels = labelsWith(string({ max: labelValueMaxCharacters }))

/** Labels whose values show what they are. */
export const plainLabels = labelsWith(plainLine({ max: labelValueMaxCharacters }))

/** Lists of values by label key. Values are unique within a list, and a list can be empty. */
export type Labels = TypeOf<typeof labels>

const annotationName = "[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?"

/** RFC 1123, section 2.1. */
const dnsSubdomain = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*"

const wholeDnsSubdomain = new RegExp(`^${dnsSubdomain}$`)
const wholeAnnotationName = new RegExp(`^${annotationName}$`)

const annotationKey: Codec<string, unknown, string> = {
  ...string({
    max: annotationKeyPrefixMaxCharacters + 1 + annotationKeyNameMaxCharacters,
    format: { pattern: new RegExp(`^(?:${dnsSubdomain}/)?${annotationName}$`), message: "" },
  }),
  read: (input, path, issues) => {
    const key = String(input)
    const slash = key.indexOf("/")
    const prefix = slash === -1 ? undefined : key.slice(0, slash)
    const name = key.slice(slash + 1)
    const isPrefix =
      prefix === undefined ||
      (prefix.length <= annotationKeyPrefixMaxCharacters && wholeDnsSubdomain.test(prefix))
    if (!isPrefix) {
      const message = `must have a key whose part before the slash is a lowercase DNS subdomain of at most ${annotationKeyPrefixMaxCharacters} characters`
      return issues.add(path, "invalid_format", message)
    }
    if (name.length <= annotationKeyNameMaxCharacters && wholeAnnotationName.test(name)) return key
    const message = `must have a key of 1 to ${annotationKeyNameMaxCharacters} letters, digits, -, _ and ., beginning and ending with a letter or digit`
    return issues.add(path, "invalid_format", message)
  },
}

/** Texts by their keys, for tools. */
export type Annotations = TypeOf<typeof annotations>

/** The codec of annotations in metadata. */
export const annotations = record(annotationKey, string({ max: annotationValueMaxCharacters }))

const isEmptyMap = (map: object): boolean => Object.keys(map).length === 0

/** An optional map; an empty one is omitted. */
const optionalMap = <A extends object, J>(map: Codec<A, unknown, J>): OptionalField<A, unknown, false, J> =>
  optional(map, { isEmpty: isEmptyMap })

export const metadata = object({
  name: objectName,
  displayName: optional(displayName),
  labels: optionalMap(labels),
  annotations: optionalMap(annotations),
})

export type Metadata = TypeOf<typeof metadata>

/** The project of an object without one; absent: a project is required. */
export interface DefaultProjectContext {
  /** Its name. */
  readonly defaultProject?: string | undefined
}

/** The project of an object; its default is that of the context. */
export const ownedProject: Codec<string, DefaultProjectContext, string> = {
  ...objectName,
  read: (input, path, issues, context) =>
    isGiven(input)
      ? objectName.read(input, path, issues, context)
      : (context.defaultProject ?? issues.add(path, "required", "is required")),
}

export const projectMetadata = (name: Codec<string, unknown, string>) =>
  object({
    name,
    displayName: optional(displayName),
    project: always(ownedProject),
    labels: optionalMap(labels),
    annotations: optionalMap(annotations),
  })

export const unlabelledMetadata = object({
  name: objectName,
  displayName: optional(displayName),
  project: always(ownedProject),
  annotations: optionalMap(annotations),
})
