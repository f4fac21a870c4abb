import { described, named, stored, type TypeOf } from "../codec/Codec.ts"
import { exactOptional, object, optional } from "../codec/Containers.ts"
import { anyString, literals, number, string } from "../codec/Leaves.ts"
import { dayMs, utcInstant } from "../codec/MinuteInstant.ts"
import { labels, sloName } from "../metadata/Metadata.ts"
import { displayNameMaxCharacters } from "../metadata/MetadataLimits.ts"
import type { ProjectKey } from "../metadata/ObjectKey.ts"

/** Kinds of annotations that people and pipelines write. */
export const annotationKinds = ["deployment", "incident", "note", "review"] as const

/** Longest text of an annotation, in characters. */
export const annotationTextMaxCharacters = 10_000

/** Longest link of an annotation, in characters. */
export const annotationUrlMaxCharacters = 2_000

/** Longest ID of an annotation, in characters. */
export const annotationIdMaxCharacters = 100

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

/** Bidirectional embeddings, overrides and isolates make a text look like another one. */
const bidirectional = "\\u202a-\\u202e\\u2066-\\u2069"

const plainLine = new RegExp(`^[^\\p{Cc}${bidirectional}]*$`, "u")
const plainLineMessage = "must not contain control characters or bidirectional overrides"

/** Texts of several lines that show what they are. */
export const plainText = new RegExp(`^(?:[^\\p{Cc}${bidirectional}]|[\\n\\r\\t])*$`, "u")
export const plainTextMessage =
  "must not contain control characters, other than line breaks and tabs, or bidirectional overrides"

const shared = {
  objective: optional(described(sloName, "The objective that it is about. Default: the whole SLO")),
  labels: optional(labels, { isEmpty: (each) => Object.keys(each).length === 0 }),
  kind: literals(annotationKinds),
}

/** An annotation as it is submitted. */
export const annotationRequest = named(
  object(
    {
      ...shared,
      title: described(
        string({ max: displayNameMaxCharacters, format: { pattern: plainLine, message: plainLineMessage } }),
        "What happened",
      ),
      text: optional(
        string({
          max: annotationTextMaxCharacters,
          format: { pattern: plainText, message: plainTextMessage },
        }),
      ),
      url: optional(
        described(
          string({
            max: annotationUrlMaxCharacters,
            format: {
              // User information shows another host than the one that is opened.
              pattern: /^https:\/\/[^\s\\/?#@\p{Cc}\p{Cf}]+(?:[/?#][^\s\\\p{Cc}\p{Cf}]*)?$/u,
              message:
                "must be a URL that begins with https://, without user information and control characters",
            },
          }),
          "Where to read more",
        ),
      ),
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
