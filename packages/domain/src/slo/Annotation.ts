import { described, named, stored, type TypeOf } from "../codec/Codec.ts"
import { exactOptional, object, optional } from "../codec/Containers.ts"
import { anyString, literals, number, string } from "../codec/Leaves.ts"
import { utcInstant } from "../codec/Instant.ts"
import { dayMs } from "../codec/MinuteInstant.ts"
import { plainLine, plainText } from "../codec/PlainText.ts"
import { webLink } from "../codec/WebLink.ts"
import { labels, plainLabels, sloName } from "../metadata/Metadata.ts"
import { displayNameMaxCharacters } from "../metadata/MetadataLimits.ts"
import type { ProjectKey } from "../metadata/ObjectKey.ts"

/** Kinds of annotations that people and pipelines write. */
export const annotationKinds = ["deployment", "incident", "note", "review"] as const

/** Longest text of an annotation, in characters. */
export const annotationTextMaxCharacters = 10_000

/** Longest ID of an annotation, in characters. */
const annotationIdMaxCharacters = 100

/** Longest time that an annotation covers, in milliseconds. */
export const annotationMaxMs = 31 * dayMs

/** The ID of an annotation, such as that of a deployment. */
export const annotationId = string({
  max: annotationIdMaxCharacters,
  format: {
    pattern: /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
    message: "must consist of letters, digits, ., _ and -, and begin with a letter or digit",
  },
})

const shared = {
  objective: optional(described(sloName, "The objective that it is about. Default: the whole SLO")),
  kind: literals(annotationKinds),
}

const hasNoLabels = (labels: object): boolean => Object.keys(labels).length === 0

/** An annotation as it is submitted. */
export const annotationRequest = named(
  object(
    {
      ...shared,
      labels: optional(plainLabels, { isEmpty: hasNoLabels }),
      title: described(plainLine({ max: displayNameMaxCharacters }), "What happened"),
      text: optional(plainText({ max: annotationTextMaxCharacters })),
      url: optional(described(webLink({ isHttpAllowed: false }), "Where to read more")),
      from: optional(described(utcInstant, "When it happened or began. Default: now")),
      to: optional(described(utcInstant, "When it ended. Default: it was at one instant")),
    },
    {
      rules: ({ value: { from, to }, has, at, issues }) => {
        if (to === undefined) return
        if (!has("from")) issues.add(at("from"), "required", "is required with to")
        else if (from !== undefined && to < from)
          issues.add(at("to"), "out_of_range", "must not be before from")
        else if (from !== undefined && to - from > annotationMaxMs) {
          issues.add(at("to"), "out_of_range", `must be at most ${annotationMaxMs / dayMs} days after from`)
        }
      },
    },
  ),
  "AnnotationRequest",
)

const annotation = object({
  id: anyString,
  ...shared,
  labels: optional(labels, { isEmpty: hasNoLabels }),
  title: anyString,
  text: optional(anyString),
  url: optional(anyString),
  /** `gap` is written by the service: the events of a gap in the samples of counters are spread over it. */
  kind: literals([...annotationKinds, "gap"]),
  /** Unix milliseconds. */
  from: number({}),
  to: exactOptional(number({})),
  /** The client ID of the credential. */
  author: anyString,
  createdAt: number({}),
})

/** What happened to or around an SLO, for those who read its charts. Times are in Unix milliseconds. */
export type Annotation = TypeOf<typeof annotation>

/** The stored form. */
export const storedAnnotation = stored(annotation, [])

/** An annotation with the SLO that it is of. */
export interface SloAnnotation {
  /** The SLO. */
  readonly slo: ProjectKey
  /** Its annotation. */
  readonly annotation: Annotation
}

/** The position of an annotation in the order of projects, SLOs and IDs. */
export interface AnnotationPlace {
  /** The name of the SLO's project. */
  readonly project: string
  /** The name of the SLO. */
  readonly slo: string
  /** The ID of the annotation. */
  readonly id: string
}

/** Annotations that a change of definitions writes in its transaction. */
export interface AnnotationsChange {
  /** Annotations to create or replace. */
  readonly put: ReadonlyArray<SloAnnotation>
  /** Annotations to delete; those that do not exist are passed over. */
  readonly remove: ReadonlyArray<AnnotationPlace>
}
