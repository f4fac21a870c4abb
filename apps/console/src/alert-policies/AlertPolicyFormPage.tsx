import { ActionIcon, Group, Input, SegmentedControl, TextInput } from "@mantine/core"
import { coolDownMinMs, escalationStepsMax, renotificationsMax } from "@tocsin/domain/forms"
import { AddButton } from "../components/AddButton.tsx"
import formCss from "../components/Form.module.css"
import { type DefinitionKey, useDocuments } from "../api/Definitions.ts"
import { Select } from "../components/Filters.tsx"
import { Cross } from "../components/Icon.tsx"
import { countText } from "../components/NumberFormat.ts"
import { Card } from "../components/Page.tsx"
import { type Draft, useDraft } from "../editor/Draft.ts"
import { Editor } from "../editor/Editor.tsx"
import { FormPage } from "../editor/FormPage.tsx"
import { GeneralCard } from "../editor/General.tsx"
import { NameList } from "../editor/NameList.tsx"
import { t } from "../language/Text.tsx"
import { useSession } from "../session/Session.ts"
import css from "./AlertPolicy.module.css"
import { BacktestCard } from "./BacktestCard.tsx"
import { ConditionFields } from "./ConditionFields.tsx"
import {
  type AlertPolicy,
  definitionOf,
  emptyPolicy,
  type PolicyValues,
  rowId,
  valuesOf,
} from "./PolicyValues.ts"

const shortestCoolDown = `${coolDownMinMs / 60_000}m`

/** Creates an alert policy; with `project` and `name`, edits one. */
const AlertPolicyFormPage = ({ project, name }: Partial<DefinitionKey>) => (
  <FormPage
    kind="alertpolicies"
    edited={project === undefined || name === undefined ? undefined : { project, name }}
    createTitle={t("Create alert policy")}
    list={{ href: "/alert-policies", text: t("Alert policies") }}
    folder="/alert-policies"
    missing={t("Alert policy {name} was not found in project {project}.", { name, project })}
  >
    {(edited) => <Form edited={edited} />}
  </FormPage>
)
export default AlertPolicyFormPage

const Form = ({ edited }: { readonly edited: AlertPolicy | undefined }) => {
  const { apiVersion } = useSession()
  const draft = useDraft<PolicyValues, AlertPolicy>("AlertPolicy", {
    newValues: () => emptyPolicy,
    valuesOf,
    definitionOf: (values) => definitionOf(values, apiVersion),
    edited,
  })
  const { values, set, input } = draft
  const isNew = edited === undefined
  return (
    <Editor
      draft={draft}
      submitLabel={isNew ? t("Create alert policy") : t("Save alert policy")}
      listHref="/alert-policies"
      preview={
        <BacktestCard
          definition={draft.definition}
          // A missing name is no reason not to try it.
          isValid={draft.issues.every(({ path }) => path === "metadata.name" && values.metadata.name === "")}
        />
      }
    >
      {() => (
        <>
          <GeneralCard draft={draft} isNew={isNew} hasLabels />
          <Card title={t("Conditions")}>
            <SegmentedControl
              aria-label={t("Conditions")}
              value={values.source}
              onChange={(source) => set({ source: source as PolicyValues["source"] })}
              data={[
                { value: "page", label: t("SRE Workbook: page") },
                { value: "ticket", label: t("SRE Workbook: ticket") },
                { value: "conditions", label: t("My own") },
              ]}
            />
            {values.source === "conditions" ? (
              <ConditionFields draft={draft} />
            ) : (
              <p className="dim">
                {values.source === "page"
                  ? t(
                      "What needs someone at once: fast burn over short and long windows, as the SRE Workbook recommends for the time window of each SLO.",
                    )
                  : t(
                      "What can wait for working hours: slow burn, as the SRE Workbook recommends for the time window of each SLO.",
                    )}
              </p>
            )}
            <Group className={formCss.pair ?? ""} gap={14} align="flex-start">
              <Select
                label={t("Severity")}
                value={values.severity}
                onChange={(severity) => set({ severity: severity as PolicyValues["severity"] })}
                data={[
                  { value: "High", label: t("High") },
                  { value: "Medium", label: t("Medium") },
                  { value: "Low", label: t("Low") },
                ]}
              />
              <TextInput
                {...input("coolDown", "spec.coolDown")}
                label={t("Cool-down")}
                description={t(
                  "An alert resolves once its conditions have not all been met for this long. At least {min}.",
                  { min: shortestCoolDown },
                )}
                placeholder={shortestCoolDown}
              />
            </Group>
          </Card>
          <Notifications draft={draft} />
        </>
      )}
    </Editor>
  )
}

const Notifications = ({ draft }: { readonly draft: Draft<PolicyValues, AlertPolicy> }) => {
  const { values, set, input, errorOf } = draft
  const methods = useDocuments("alertmethods")
  const choices = methods.data?.map(({ metadata }) => `${metadata.project}/${metadata.name}`) ?? []
  return (
    <Card title={t("Notifications")}>
      <NameList
        id="methods"
        legend={t("Alert methods")}
        description={t("Notified when an alert triggers.")}
        names={values.methods}
        choices={choices}
        addLabel={t("Add alert method")}
        error={errorOf("methods", "spec.alertMethods")}
        onChange={(names) => set({ methods: names })}
      />
      <Group className={formCss.pair ?? ""} gap={14} align="flex-start">
        <TextInput
          {...input("renotifyEvery", "spec.renotify.every", "spec.renotify")}
          label={t("Notify again every")}
          description={t("Optional. While the alert is open and not acknowledged.")}
          placeholder="30m"
        />
        <TextInput
          {...input("renotifyAtMost", "spec.renotify.atMost")}
          label={t("At most")}
          description={t("How many times, at most {max}.", { max: countText(renotificationsMax) })}
          placeholder="10"
          inputMode="numeric"
        />
      </Group>
      <div id="steps" tabIndex={-1}>
        <h3>{t("Escalation")}</h3>
        <p className="dim small">
          {t("Other alert methods, once the alert was sent and not acknowledged for some time.")}
        </p>
        {values.steps.map((step, at) => {
          const change = (changed: Partial<typeof step>): void =>
            set({ steps: values.steps.map((each) => (each.id === step.id ? { ...each, ...changed } : each)) })
          const path = `spec.then[${at}]`
          return (
            <div key={step.id} className={css.step}>
              <TextInput
                label={t("After")}
                aria-label={t("Time before step {number}", { number: at + 1 })}
                value={step.after}
                placeholder="15m"
                error={errorOf("steps", `${path}.after`)}
                onChange={({ currentTarget }) => change({ after: currentTarget.value })}
              />
              <NameList
                id={`steps.${step.id}`}
                legend={t("Alert methods of step {number}", { number: at + 1 })}
                names={step.methods}
                choices={choices}
                addLabel={t("Add alert method")}
                error={errorOf("steps", `${path}.alertMethods`)}
                onChange={(names) => change({ methods: names })}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                size={36}
                aria-label={t("Remove step {number}", { number: at + 1 })}
                onClick={() => set({ steps: values.steps.filter(({ id }) => id !== step.id) })}
              >
                <Cross />
              </ActionIcon>
            </div>
          )
        })}
        <AddButton
          mt={8}
          disabled={values.steps.length >= escalationStepsMax}
          onClick={() => set({ steps: [...values.steps, { id: rowId(), after: "15m", methods: [] }] })}
        >
          {t("Add step")}
        </AddButton>
        {errorOf("steps", "spec.then") !== undefined && (
          <Input.Error mt={6}>{errorOf("steps", "spec.then")}</Input.Error>
        )}
      </div>
    </Card>
  )
}
