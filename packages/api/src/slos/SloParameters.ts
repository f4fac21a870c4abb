import { sloNameMaxCharacters } from "@tocsin/domain/limits"
import * as Schema from "effect/Schema"

/** The path parameter `sloName`. */
export const sloNameParam = {
  sloName: Schema.String.annotate({ description: "Name of the SLO" }).check(
    Schema.isMaxLength(sloNameMaxCharacters),
  ),
}

/** The header that names the project of an SLO. */
export const projectOfSlo = { project: Schema.String.annotate({ description: "Project of the SLO" }) }
