import type { Revision } from "@tocsin/api"
import { t } from "../language/Text.tsx"

/** What a change did to a definition. */
export const RevisionOutcome = ({ revision }: { readonly revision: Revision }) =>
  revision.changesSecrets
    ? t("{change}, with secrets", { change: outcomeText(revision) })
    : outcomeText(revision)

const outcomeText = ({ outcome, movedFrom = "" }: Revision): string => {
  switch (outcome) {
    case "created":
      return t("Created")
    case "updated":
      return t("Updated")
    case "moved":
      return t("Moved from project {project}", { project: movedFrom })
    case "deleted":
      return t("Deleted")
  }
}

/** Who made a change. */
export const Author = ({ revision: { author } }: { readonly revision: Revision }) =>
  author === undefined ? <span className="dim">{t("The server")}</span> : <code>{author}</code>
