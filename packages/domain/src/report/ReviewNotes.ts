import { described, named, stored, type TypeOf } from "../codec/Codec.ts"
import { exactOptional, hasNoEntries, list, object, optional } from "../codec/Containers.ts"
import { anyString, number, string } from "../codec/Leaves.ts"
import { utcInstant } from "../codec/Instant.ts"
import { objectName, sloName } from "../metadata/Metadata.ts"

/** Longest text of the notes of a review, in characters. */
const reviewTextMaxCharacters = 20_000

/** Longest note about an SLO of a review, in characters. */
const sloNoteMaxCharacters = 2_000

/** Maximum number of SLOs of a review with a note. */
const sloNotesMax = 500

const fields = {
  text: optional(described(string({ max: reviewTextMaxCharacters }), "Decisions and notes of the review")),
  slos: optional(
    described(
      list(
        object({
          project: described(objectName, "Project of the SLO"),
          slo: described(sloName, "Name of the SLO"),
          text: described(string({ max: sloNoteMaxCharacters }), "Decision or note about the SLO"),
        }),
        { max: sloNotesMax, distinct: { by: ({ project, slo }) => `${project}/${slo}` } },
      ),
      "Notes about single SLOs",
    ),
    { isEmpty: hasNoEntries },
  ),
  nextReviewAt: optional(described(utcInstant, "When the next review of the same SLOs is due")),
}

/** The notes of a review, as they are sent: they replace those before. */
export const reviewNotesRequest = named(
  object({
    ...fields,
    revision: optional(
      described(
        number({ min: 0, isInteger: true }),
        "The revision that is replaced; if the notes have changed since, nothing is stored. Default: any",
      ),
    ),
  }),
  "ReviewNotesRequest",
)

const writtenFields = {
  ...fields,
  updatedAt: exactOptional(described(utcInstant, "When the notes were last changed")),
  updatedBy: exactOptional(described(anyString, "Client ID of the credential that last changed them")),
}

const writtenNotes = object(writtenFields)

/** Decisions and notes of a review, and when the next one is due. They are not signed, and change while the review does not. */
export type WrittenNotes = TypeOf<typeof writtenNotes>

/** The stored form of the notes. */
export const storedNotes = stored(writtenNotes, [])

/** Notes with the number of times that they were changed. */
export const reviewNotes = named(
  object({
    ...writtenFields,
    revision: described(number({ min: 0, isInteger: true }), "How often the notes were changed"),
  }),
  "ReviewNotes",
)

/** Notes with the number of times that they were changed. */
export type ReviewNotes = TypeOf<typeof reviewNotes>
