import { Button, Group, Stack } from "@mantine/core"
import formCss from "../components/Form.module.css"
import { type DefinitionKey, useEdited } from "../api/Definitions.ts"
import { ErrorNotice, QueryError } from "../components/ErrorNotice.tsx"
import { Check, Warning } from "../components/Icon.tsx"
import { Notice } from "../components/Notice.tsx"
import type { Crumb } from "../components/Page.tsx"
import { Conflicts } from "../editor/Conflicts.tsx"
import { EditorPage, EditPage } from "../editor/Editor.tsx"
import { listText, t } from "../language/Text.tsx"
import { AlertsStep } from "./AlertsStep.tsx"
import { ObjectivesStep } from "./ObjectivesStep.tsx"
import { PreviewCard } from "./PreviewCard.tsx"
import { QueryStep } from "./QueryStep.tsx"
import { ReviewStep } from "./ReviewStep.tsx"
import { SourceStep } from "./SourceStep.tsx"
import { stepName } from "./StepName.ts"
import { useWizard, type Wizard } from "./Wizard.ts"
import css from "./Wizard.module.css"
import { type SloDefinition, steps } from "./SloDocument.ts"

/** Creates an SLO step by step; with `project` and `name`, edits one. */
const SloWizardPage = ({ project, name }: Partial<DefinitionKey>) => {
  const list = { href: "/slos", text: t("SLOs") }
  return project === undefined || name === undefined ? (
    <EditorPage title={t("Create SLO")} back={list}>
      <Form />
    </EditorPage>
  ) : (
    <EditSlo edited={{ project, name }} list={list} />
  )
}
export default SloWizardPage

const EditSlo = ({ edited, list }: { readonly edited: DefinitionKey; readonly list: Crumb }) => {
  const { query, definition: slo } = useEdited("slos", edited)
  return (
    <EditPage
      list={list}
      href={`/slos/${edited.project}/${edited.name}`}
      edited={edited}
      displayName={slo?.metadata.displayName}
    >
      <QueryError
        query={query}
        missing={t("SLO {name} was not found in project {project}.", { ...edited })}
      />
      {slo !== undefined && <Form edited={slo} />}
    </EditPage>
  )
}

const Form = ({ edited }: { readonly edited?: SloDefinition }) => {
  const wizard = useWizard(edited)
  const { step, yaml } = wizard
  const isLast = step === "review"
  const others = wizard.isVisited(step) ? wizard.issuesOf(step) : []
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void (isLast ? wizard.save() : wizard.next())
      }}
    >
      <Stack gap="lg">
        <StepList wizard={wizard} />
        {wizard.isRebased && (
          <Notice kind="info">
            {wizard.conflict !== undefined
              ? t(
                  "This SLO has changed since you began your draft. You and someone else have changed the same values. Choose the values to save in the last step.",
                )
              : yaml === undefined
                ? t("This SLO has changed since you began your draft. The draft now has these changes too.")
                : t(
                    "This SLO has changed since you began your draft. Your YAML does not have these changes yet. They are merged when you save.",
                  )}
          </Notice>
        )}
        <YamlOnly wizard={wizard} />
        {yaml !== undefined && !isLast && (
          <Notice kind="warn">
            {t("The definition was edited as YAML. Saving uses the YAML, not this form.")}
            <Button variant="default" size="compact-sm" onClick={() => wizard.setYaml(undefined)}>
              {t("Discard YAML changes")}
            </Button>
          </Notice>
        )}
        <div className={isLast ? undefined : formCss.columns}>
          <Stack gap="lg" miw={0}>
            {step === "source" && <SourceStep wizard={wizard} />}
            {step === "query" && <QueryStep wizard={wizard} />}
            {step === "objectives" && <ObjectivesStep wizard={wizard} />}
            {step === "alerts" && <AlertsStep wizard={wizard} />}
            {step === "review" && <ReviewStep wizard={wizard} />}
            {others.length > 0 && !isLast && (
              <Notice kind="bad" role="alert">
                <ul className={css.issues}>
                  {others.map(({ path, message }) => (
                    <li key={`${path} ${message}`}>{path === "" ? message : `${path}: ${message}`}</li>
                  ))}
                </ul>
              </Notice>
            )}
            {isLast && <Conflicts conflict={wizard.conflict} />}
            <ErrorNotice error={wizard.error} />
            <Actions wizard={wizard} />
          </Stack>
          {!isLast && (
            <Stack gap="lg" miw={0} className={formCss.preview ?? ""}>
              <PreviewCard wizard={wizard} />
            </Stack>
          )}
        </div>
      </Stack>
    </form>
  )
}

/** What only the YAML of the review can change. */
const YamlOnly = ({ wizard: { edited, step, goTo } }: { readonly wizard: Wizard }) => {
  if (edited === undefined || step === "review") return null
  const { indicator, composite, objectives } = edited.spec
  const parts = [
    ...(composite !== undefined || objectives.some((each) => each.composite !== undefined)
      ? [t("objectives that combine other SLOs")]
      : []),
    ...(indicator?.metricSource === undefined ? [] : [t("queries of each objective")]),
    ...(indicator?.otlp === undefined ? [] : [t("metrics that arrive over OTLP")]),
    ...(indicator?.prometheus?.groupBy === undefined ? [] : [t("the labels of groupBy")]),
  ]
  if (parts.length === 0) return null
  return (
    <Notice kind="info">
      {t("These steps cannot change {parts}; they stay as they are.", { parts: listText(parts) })}
      <Button variant="default" size="compact-sm" onClick={() => goTo("review")}>
        {t("Edit as YAML")}
      </Button>
    </Notice>
  )
}

const Actions = ({ wizard }: { readonly wizard: Wizard }) => {
  const { step, edited } = wizard
  const before = steps[steps.indexOf(step) - 1]
  return (
    <Group gap="xs" className={formCss.save ?? ""}>
      <Button type="submit" loading={wizard.isBusy}>
        {step !== "review" ? t("Next") : edited === undefined ? t("Create SLO") : t("Save SLO")}
      </Button>
      {before !== undefined && (
        <Button variant="default" onClick={() => wizard.goTo(before)}>
          {t("Back")}
        </Button>
      )}
      {wizard.isDraft && (
        <Button variant="subtle" color="gray" onClick={wizard.discard}>
          {t("Discard draft")}
        </Button>
      )}
      <span className="dim small" role="status">
        {wizard.isDraft && t("The draft is kept in this tab.")}
      </span>
    </Group>
  )
}

const StepList = ({ wizard }: { readonly wizard: Wizard }) => (
  <nav aria-label={t("Steps")}>
    <ol className={css.steps}>
      {steps.map((step, at) => {
        const isKnown = wizard.isVisited(step) && wizard.check !== undefined
        const hasIssues = isKnown && wizard.issuesOf(step).length > 0
        return (
          <li key={step}>
            <button
              type="button"
              aria-current={step === wizard.step ? "step" : undefined}
              onClick={() => wizard.goTo(step)}
            >
              <span className={css.number}>{hasIssues ? <Warning /> : isKnown ? <Check /> : at + 1}</span>
              <span className={css.label}>{stepName(step)}</span>
              {hasIssues && <span className="visually-hidden">{t("has errors")}</span>}
            </button>
          </li>
        )
      })}
    </ol>
  </nav>
)
