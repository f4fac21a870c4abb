/** Annotations as documents, which are applied and listed with definitions. Source: spec/clients §5. */
import { described, type TypeOf } from "../codec/Codec.ts"
import { always, object, optional } from "../codec/Containers.ts"
import { isObject, literals } from "../codec/Leaves.ts"
import { instant } from "../codec/Instant.ts"
import { dayMs } from "../codec/MinuteInstant.ts"
import { plainText } from "../codec/PlainText.ts"
import { apiVersionOf, definitionOf } from "../metadata/Envelope.ts"
import { plainLabels, ownedProject, sloName } from "../metadata/Metadata.ts"
import { displayNameMaxCharacters } from "../metadata/MetadataLimits.ts"
import {
  type Annotation,
  annotationId,
  annotationMaxMs,
  annotationTextMaxCharacters,
  type SloAnnotation,
} from "../slo/Annotation.ts"

/** Categories of annotations that people write; those of the service itself cannot be applied. */
const userCategories = ["Comment", "ReviewNote"] as const

/** The category of gaps, which the service marks itself. */
export const gapCategory = "NoDataAnomaly"

/** The value of `kind` in a document of an annotation. */
export const annotationKind = "Annotation"

/** The codec of an annotation as a document; reading needs the project of documents without one. */
export const annotationDocument = definitionOf(annotationKind, {
  identifier: "AnnotationDefinition",
  metadata: object({
    name: described(annotationId, "The ID of the annotation, unique for its SLO"),
    project: always(ownedProject),
    labels: optional(plainLabels, { isEmpty: (each) => Object.keys(each).length === 0 }),
  }),
  spec: object(
    {
      slo: sloName,
      objectiveName: optional(sloName),
      description: plainText({ max: annotationTextMaxCharacters, isBlank: false }),
      startTime: instant,
      endTime: optional(instant),
      category: optional(literals(userCategories)),
    },
    {
      ignored: ["createdBy"],
      rules: ({ value: { startTime, endTime }, at, issues }) => {
        if (startTime !== undefined && startTime.ms < 0)
          issues.add(at("startTime"), "out_of_range", "must be from 1970 on")
        if (startTime === undefined || endTime === undefined) return
        if (endTime.ms < startTime.ms)
          issues.add(at("endTime"), "out_of_range", "must not be before startTime")
        else if (endTime.ms - startTime.ms > annotationMaxMs) {
          const message = `must be at most ${annotationMaxMs / dayMs} days after startTime`
          issues.add(at("endTime"), "out_of_range", message)
        }
      },
    },
  ),
})

export type AnnotationDocument = TypeOf<typeof annotationDocument>

/**
 * The annotation that a document describes. Of `stored`, the annotation with the same ID, what no document can say is kept: its
 * URL, its kind unless that is another category, and its title if the description is the same.
 */
export const annotationOf = (
  { metadata, spec }: AnnotationDocument,
  author: string,
  now: number,
  stored: Annotation | undefined,
): Annotation => {
  const isReview = spec.category === "ReviewNote"
  const kind =
    stored !== undefined && stored.kind !== "gap" && (stored.kind === "review") === isReview
      ? stored.kind
      : isReview
        ? "review"
        : "note"
  const isSameText = stored !== undefined && descriptionOf(stored) === spec.description
  const title = isSameText ? stored.title : titleOf(spec.description)
  const text = isSameText ? stored.text : title === spec.description ? undefined : spec.description
  return {
    id: metadata.name,
    kind,
    title,
    ...(text !== undefined && { text }),
    ...(stored?.url !== undefined && { url: stored.url }),
    ...(spec.objectiveName !== undefined && { objective: spec.objectiveName }),
    ...(metadata.labels !== undefined && { labels: metadata.labels }),
    from: spec.startTime.ms,
    ...(spec.endTime !== undefined && { to: spec.endTime.ms }),
    author: stored?.author ?? author,
    createdAt: stored?.createdAt ?? now,
  }
}

/** The first line that is not blank, cut where it is too long. */
const titleOf = (description: string): string => {
  const line = description.split("\n").find((each) => each.trim() !== "") ?? description
  return [...line.trim()].slice(0, displayNameMaxCharacters).join("")
}

const descriptionOf = ({ title, text }: Annotation): string => {
  if (text === undefined) return title
  return titleOf(text) === title
    ? text
    : [...`${title}\n\n${text}`].slice(0, annotationTextMaxCharacters).join("")
}

/** `Comment`, `ReviewNote` or `NoDataAnomaly`, the category of an annotation in its document. */
export const categoryOf = ({ kind }: Annotation): string =>
  kind === "gap" ? gapCategory : kind === "review" ? "ReviewNote" : "Comment"

const secondText = (ms: number): string => new Date(ms).toISOString().replace(".000Z", "Z")

/** The names of gaps are written as names of objects. */
const nameOf = ({ id }: Annotation): string => id.replace(":", "-")

/** An annotation as a document. */
export interface AnnotationJson {
  /** `tocsin/v1alpha` or with another prefix. */
  readonly apiVersion: string
  /** `Annotation`. */
  readonly kind: string
  /** `name` is the ID. */
  readonly metadata: { readonly name: string; readonly project: string; readonly labels?: object }
  /** By the schema of `annotationDocument`, with the author. */
  readonly spec: {
    readonly slo: string
    readonly objectiveName?: string
    readonly description: string
    readonly startTime: string
    readonly endTime?: string
    readonly category: string
    readonly createdBy: string
  }
  /** When it was written, and whether the service marked it. */
  readonly status: object
}

/** An annotation as a document. Applying it again changes nothing. */
export const annotationToDocument = (
  { slo, annotation }: SloAnnotation,
  vendorPrefix: string,
): AnnotationJson => {
  const { labels, objective, from, to, author, createdAt, kind } = annotation
  return {
    apiVersion: apiVersionOf(vendorPrefix),
    kind: annotationKind,
    metadata: { name: nameOf(annotation), project: slo.project, ...(labels !== undefined && { labels }) },
    spec: {
      slo: slo.name,
      ...(objective !== undefined && { objectiveName: objective }),
      description: descriptionOf(annotation),
      startTime: secondText(from),
      ...(to !== undefined && { endTime: secondText(to) }),
      category: categoryOf(annotation),
      createdBy: author,
    },
    status: { updatedAt: secondText(createdAt), isSystem: kind === "gap" },
  }
}

/** Whether a document of a request is an annotation, which is no definition. */
export const isAnnotation = (input: unknown): boolean => isObject(input) && input["kind"] === annotationKind

/** Whether two annotations are the same for everyone who reads them. */
export const annotationsAreEqual = (a: Annotation, b: Annotation): boolean => textOf(a) === textOf(b)

const textOf = (annotation: Annotation): string =>
  JSON.stringify(Object.entries(annotation).toSorted(([a], [b]) => (a < b ? -1 : 1)))
