import { Limits } from "../Limits.ts"

import type { ProjectKey } from "./ObjectKey.ts"
import { mapOf, objectOf, type ObjectReader } from "../codec/ObjectRule.ts"
import { listOf, type Rule, text } from "../codec/Rule.ts"

/** Labels of an object: each key with its values, of which there may be none. Source: contract section 2.2. */
export type Labels = Readonly<Record<string, ReadonlyArray<string>>>

/** Annotations of an object. Source: contract section 2.1. */
export type Annotations = Readonly<Record<string, string>>

/** What every definition says of itself; empty maps are left out. Source: contract section 2.1. */
export interface Metadata {
  readonly name: string
  readonly displayName?: string
  readonly labels?: Labels
  readonly annotations?: Annotations
}

/** The metadata of an object that a project owns. */
export interface ProjectMetadata extends Metadata {
  readonly project: string
}

/** What a name of whatever length consists of. Source: contract section 2.1; decision 0105. */
export const namePattern = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/

/** A name of at most `max` characters. Source: contract section 2.1; decision 0105. */
export const nameOf = (max: number): Rule<string> =>
  text({
    max,
    format: {
      pattern: namePattern,
      message:
        "must consist of lowercase letters, digits and dashes, and begin and end with a letter or digit",
    },
  })

/**
 * The name, of at most `nameMax` characters, and the project of an object; `defaultProject` is taken when it says none.
 *
 * Source: contract section 2.1.
 */
export const projectKey = (nameMax: number, defaultProject?: string): Rule<ProjectKey> =>
  objectOf((reader) => {
    const name = reader.required("name", nameOf(nameMax))
    const project = readProject(reader, defaultProject)
    return name === undefined || project === undefined ? undefined : { name, project }
  })

/** A display name. Source: contract section 2.1; decision 0105. */
export const displayName: Rule<string> = text({ max: Limits.displayNameMaxCharacters })

/** A description. Source: contract section 8. */
export const description: Rule<string> = text({ max: Limits.descriptionMaxCharacters })

/** The property `spec` of an object that has a description at most. */
export const descriptionSpec: Rule<{ readonly description?: string }> = objectOf((reader) => {
  const said = reader.optional("description", description)
  return said === undefined ? {} : { description: said }
})

/** What the metadata of a kind may hold besides the name, the display name and the annotations. */
interface MetadataOptions {
  readonly nameMax: number
  readonly hasLabels: boolean
}

/** The metadata of an object that belongs to no project. */
export const metadata = (options: MetadataOptions): Rule<Metadata> =>
  objectOf((reader) => readMetadata(reader, options))

/**
 * The metadata of an object that a project owns; `defaultProject` is taken when it names none.
 *
 * Source: contract section 2.1; decision 0114.
 */
export const projectMetadata = (
  options: MetadataOptions & { readonly defaultProject?: string | undefined },
): Rule<ProjectMetadata> =>
  objectOf((reader) => {
    const read = readMetadata(reader, options)
    const project = readProject(reader, options.defaultProject)
    if (read === undefined || project === undefined) return undefined
    const { name, displayName, ...maps } = read
    return { name, ...(displayName !== undefined && { displayName }), project, ...maps }
  })

/** Reads the property `project`, or takes the one that stands in for it. */
export const readProject = (reader: ObjectReader, defaultProject: string | undefined): string | undefined =>
  defaultProject === undefined || reader.has("project")
    ? reader.required("project", nameOf(Limits.nameMaxCharacters))
    : defaultProject

const readMetadata = (reader: ObjectReader, options: MetadataOptions): Metadata | undefined => {
  const name = reader.required("name", nameOf(options.nameMax))
  const shown = reader.optional("displayName", displayName)
  const labelMap = options.hasLabels ? reader.optional("labels", labels) : undefined
  const annotationMap = reader.optional("annotations", annotations)
  if (name === undefined) return undefined
  return {
    name,
    ...(shown !== undefined && { displayName: shown }),
    ...(labelMap !== undefined && isFilled(labelMap) && { labels: labelMap }),
    ...(annotationMap !== undefined && isFilled(annotationMap) && { annotations: annotationMap }),
  }
}

const isFilled = (map: object): boolean => Object.keys(map).length > 0

const labelValues = listOf(text({ max: Limits.labelValueMaxCharacters }))

/** Labels: keys as the public clients have them, each with a list of different values. Source: decision 0506. */
export const labels = mapOf(
  text({
    max: Limits.labelKeyMaxCharacters,
    format: {
      pattern: /^\p{Ll}(?:[\p{Ll}0-9_-]*[\p{Ll}0-9])?$/u,
      message:
        "must have a key of lowercase letters, digits, - and _ that begins with a letter and ends with a letter or digit",
    },
  }),
  (value, path, issues) => {
    const read = labelValues(value, path, issues)
    return read === undefined || new Set(read).size === read.length
      ? read
      : issues.add(path, "duplicate", "must have each value once")
  },
)

/** Annotations. Source: contract section 2.1; decision 0106. */
export const annotations = mapOf(
  (key, path, issues) => {
    const [prefix, name] = splitAtFirstSlash(String(key))
    const prefixIsSound =
      prefix === undefined ||
      (prefix.length <= Limits.annotationKeyPrefixMaxCharacters && dnsSubdomain.test(prefix))
    if (!prefixIsSound) {
      return issues.add(
        path,
        "invalid_format",
        `must have before the slash of its key a lowercase DNS subdomain of at most ${Limits.annotationKeyPrefixMaxCharacters} characters`,
      )
    }
    return name.length <= Limits.annotationKeyNameMaxCharacters && annotationName.test(name)
      ? String(key)
      : issues.add(
          path,
          "invalid_format",
          `must have a key of 1 to ${Limits.annotationKeyNameMaxCharacters} letters, digits, -, _ and ., beginning and ending with a letter or digit`,
        )
  },
  text({ max: Limits.annotationValueMaxCharacters }),
)

const splitAtFirstSlash = (key: string): readonly [prefix: string | undefined, name: string] => {
  const at = key.indexOf("/")
  return at === -1 ? [undefined, key] : [key.slice(0, at), key.slice(at + 1)]
}

const annotationName = /^[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?$/

/** Source: RFC 1123 section 2.1. */
const dnsSubdomain = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/
