import { writeYamlDocument } from "@tocsin/formats/yaml"
import { t } from "../language/Text.tsx"
import css from "./DefinitionDiff.module.css"
import { foldSame, lineDiff } from "./LineDiff.ts"

/** What a definition was, and what it will be; lines far from every change are left out. */
export const DefinitionDiff = ({
  before,
  after,
  label,
}: {
  readonly before: object | undefined
  readonly after: object
  readonly label: string
}) => (
  <pre className={css.diff} tabIndex={0} role="region" aria-label={label}>
    {foldSame(
      lineDiff(before === undefined ? "" : writeYamlDocument(before), writeYamlDocument(after)).filter(
        ({ text, change }) => before !== undefined || change !== "removed" || text !== "",
      ),
    ).map((line, at) =>
      line.change === "folded" ? (
        <span key={at} className={css.folded}>
          {t("{count, plural, one {# line is the same} other {# lines are the same}}", { count: line.count })}
        </span>
      ) : (
        <span key={at} className={line.change === "same" ? undefined : css[line.change]}>
          {line.change !== "same" && (
            <span className="visually-hidden">{line.change === "added" ? t("Added:") : t("Removed:")}</span>
          )}
          <span aria-hidden="true">
            {line.change === "same" ? "  " : line.change === "added" ? "+ " : "− "}
          </span>
          {line.text}
        </span>
      ),
    )}
  </pre>
)
