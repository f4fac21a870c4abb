import type { HeldAlert } from "@tocsin/api"
import { t } from "../language/Text.tsx"

/** Why conditions that are met trigger no alert, in a few words. */
export const heldReasonText = (reason: HeldAlert["reason"]): string => {
  switch (reason) {
    case "past_changed":
      return t("they rely on changes to past minutes")
    case "counts_old":
      return t("the latest counts are more than an hour old")
    case "source_behind":
      return t("the data source is not fully read yet")
  }
}
