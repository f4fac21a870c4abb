import { Checkbox, SegmentedControl } from "@mantine/core"
import { variableField, variables } from "@tocsin/domain/template/Variable"
import { onDemand } from "../shell/OnDemand.tsx"
import type { FormPart } from "./AlertMethodForm.tsx"
import css from "./AlertMethodForm.module.css"
import { templateOfFields } from "./Draft.ts"
import type { DraftIssue } from "./DraftIssues.ts"

const TemplateEditor = onDemand(() => import("./TemplateEditor.tsx"), <div style={{ height: 260 }} />)

/**
 * What a notification says: predefined details, at least one of the list, or JSON of one's own.
 *
 * Source: contract section 2.1, rule 3; decision 0207.
 */
export const NotificationDetails = ({
  draft,
  change,
  errorOf,
  templateIssues,
}: FormPart & {
  /** What is wrong with the template as it stands; absent while it is being checked. */
  readonly templateIssues: ReadonlyArray<DraftIssue> | undefined
}) => (
  <>
    <SegmentedControl
      aria-label="Notification details"
      fullWidth
      value={draft.mode}
      data={[
        { value: "predefined", label: "Predefined details" },
        { value: "custom", label: "Custom JSON" },
      ]}
      onChange={(mode) =>
        change("mode", (last) => ({
          ...last,
          mode: mode === "custom" ? "custom" : "predefined",
          // The own JSON begins with what the list would send.
          ...(mode === "custom" && last.template === "" && { template: templateOfFields(last.fields) }),
        }))
      }
    />
    {draft.mode === "predefined" ? (
      <Fields draft={draft} change={change} errorOf={errorOf} />
    ) : (
      <TemplateEditor
        start={draft.template}
        issues={templateIssues}
        onChange={(template) => change("template", (last) => ({ ...last, template }))}
      />
    )}
  </>
)

const Fields = ({ draft, change, errorOf }: FormPart) => (
  <fieldset className={css.rows} id="fields" tabIndex={-1}>
    <legend>
      {draft.fields.length} of {variables.length} details, in the order in which you tick them
    </legend>
    {errorOf("fields") !== undefined && (
      <p className={css.error} role="alert">
        Tick at least one. {errorOf("fields")}
      </p>
    )}
    <div className={css.checks}>
      {variables.map((variable) => {
        const field = variableField(variable)
        return (
          <Checkbox
            key={field}
            label={field}
            description={variable.description}
            checked={draft.fields.includes(field)}
            onChange={({ currentTarget: { checked } }) =>
              change("fields", (last) => ({
                ...last,
                fields: checked ? [...last.fields, field] : last.fields.filter((each) => each !== field),
              }))
            }
          />
        )
      })}
    </div>
  </fieldset>
)
