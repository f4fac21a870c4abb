import { ActionIcon, Group, Input, SegmentedControl, TextInput } from "@mantine/core"
import { AddButton } from "../components/AddButton.tsx"
import formCss from "../components/Form.module.css"
import { useState } from "react"
import rules from "virtual:rules/AlertPolicy"
import { type DefinitionKey, useDocuments } from "../api/Definitions.ts"
import { Cross } from "../components/Icon.tsx"
import { countText } from "../components/NumberFormat.ts"
import { Notice } from "../components/Notice.tsx"
import { Card } from "../components/Page.tsx"
import { ChoiceField } from "../editor/ChoiceField.tsx"
import { useDraft } from "../editor/Draft.ts"
import { Editor } from "../editor/Editor.tsx"
import { type DraftFields, optionalNumber, optionalText } from "../editor/Fields.ts"
import { FormPage } from "../editor/FormPage.tsx"
import { rulesAt } from "../editor/Rules.ts"
import { GeneralCard } from "../editor/General.tsx"
import { keyOf, keyText, NameList } from "../editor/NameList.tsx"
import { t } from "../language/Text.tsx"
import { severityName } from "../alerts/Alert.ts"
import { useSession } from "../session/Session.ts"
import css from "./AlertPolicy.module.css"
import { BacktestCard } from "./BacktestCard.tsx"
import { ConditionFields } from "./ConditionFields.tsx"
import { type AlertPolicy, conditionTyping, firstConditions, newPolicy } from "./PolicyValues.ts"

const shortestCoolDown = rulesAt(rules, "spec.coolDown").shortest ?? ""

/** Creates an alert policy; with `project` and `name`, edits one. */
const AlertPolicyFormPage = (key: Partial<DefinitionKey>) => (
  <FormPage kind="alertpolicies" {...key}>
    {(edited) => <Form edited={edited} />}
  </FormPage>
)
export default AlertPolicyFormPage

const Form = ({ edited }: { readonly edited: AlertPolicy | undefined }) => {
  const { apiVersion } = useSession()
  const draft = useDraft<AlertPolicy>("AlertPolicy", {
    rules,
    initial: () => newPolicy(apiVersion),
    show: shown,
    edited,
  })
  const { at, swap, field } = draft
  const source = (at("spec.sreWorkbook") ?? "conditions") as string
  /** Where conditions were when another choice was made. */
  const [own, setOwn] = useState("spec.conditions")
  const setSource = (next: string): void => {
    if (next === "conditions") return swap(["spec.sreWorkbook"], { [own]: firstConditions() })
    const groups = "spec.conditionGroups"
    if (source === "conditions") setOwn(at(groups) === undefined ? "spec.conditions" : groups)
    swap(["spec.conditions", groups], {}, { "spec.sreWorkbook": next })
  }
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
          isValid={draft.issues.every(({ path }) => path === "metadata.name" && at(path) === "")}
        />
      }
    >
      <GeneralCard draft={draft} isNew={isNew} hasLabels />
      <Card title={t("Conditions")}>
        <SegmentedControl
          aria-label={t("Conditions")}
          value={source}
          onChange={setSource}
          data={[...(draft.rules("spec.sreWorkbook").choices ?? []), "conditions"].map((value) => ({
            value,
            label: sourceName(value),
          }))}
        />
        {source === "conditions" ? (
          <ConditionFields draft={draft} />
        ) : (
          <p className="dim">
            {source === "page"
              ? t(
                  "Fast burn over short and long windows that needs an immediate response, as the SRE Workbook recommends for the time window of each SLO.",
                )
              : t(
                  "Slow burn that can wait for working hours, as the SRE Workbook recommends for the time window of each SLO.",
                )}
          </p>
        )}
        <Group className={formCss.pair ?? ""} gap="sm" align="flex-start">
          <ChoiceField draft={draft} path="spec.severity" label={t("Severity")} names={severityName} />
          <TextInput
            {...field("spec.coolDown")}
            label={t("Cool-down")}
            description={t(
              "An alert resolves once one condition has been unmet for this long. At least {min}.",
              { min: shortestCoolDown },
            )}
            placeholder={shortestCoolDown}
          />
        </Group>
      </Card>
      <Notifications draft={draft} />
    </Editor>
  )
}

const sourceName = (source: string): string =>
  source === "page" ? t("SRE Workbook: page") : source === "ticket" ? t("SRE Workbook: ticket") : t("My own")

const methodsPath = "spec.alertMethods"
const stepsPath = "spec.then"

type Steps = NonNullable<AlertPolicy["spec"]["then"]>

const methodNames = (methods: unknown, project: string) =>
  ((methods ?? []) as AlertPolicy["spec"]["alertMethods"] & object).map(({ metadata }) =>
    keyText(metadata, project),
  )

/** Fails for a policy that the form cannot show. */
const shown = (policy: AlertPolicy): AlertPolicy => {
  const { conditions, conditionGroups = [], alertMethods, then = [] } = policy.spec
  conditionTyping["spec.conditions"].format(conditions)
  conditionTyping["spec.conditionGroups"].format(conditionGroups)
  for (const methods of [alertMethods, ...then.map((step) => step.alertMethods)]) methodNames(methods, "")
  return policy
}

const methodsOf = (names: ReadonlyArray<string>) => names.map((name) => ({ metadata: keyOf(name) }))

const Notifications = ({
  draft: { at, put, field, rules, hint, errorOf },
}: {
  readonly draft: DraftFields
}) => {
  const namesOf = (methods: unknown) => methodNames(methods, at("metadata.project") as string)
  const steps = (at(stepsPath) ?? []) as Steps
  const setSteps = (next: ReadonlyArray<object>): void =>
    put({ [stepsPath]: next.length === 0 ? undefined : next })
  const methods = useDocuments("alertmethods")
  const choices = methods.data?.map(({ metadata }) => `${metadata.project}/${metadata.name}`) ?? []
  return (
    <Card title={t("Notifications")}>
      <NameList
        id={methodsPath}
        legend={t("Alert methods")}
        description={t("Notified when an alert triggers.")}
        names={namesOf(at(methodsPath))}
        choices={choices}
        addLabel={t("Add alert method")}
        error={errorOf(methodsPath, methodsPath)}
        onChange={(names) => put({ [methodsPath]: methodsOf(names) })}
      />
      {namesOf(at(methodsPath)).length + steps.length === 0 && (
        <Notice kind="warn">{t("Without alert methods, alerts of this policy notify nobody.")}</Notice>
      )}
      <Group className={formCss.pair ?? ""} gap="sm" align="flex-start">
        <TextInput
          {...field("spec.renotify.every", optionalText, "spec.renotify")}
          label={t("Notify again every")}
          description={hint("spec.renotify.every", t("While the alert is open and not acknowledged."))}
          placeholder="30m"
        />
        <TextInput
          {...field("spec.renotify.atMost", optionalNumber)}
          label={t("At most")}
          description={t("How many times, at most {max}.", {
            max: countText(rules("spec.renotify.atMost").max ?? Infinity),
          })}
          placeholder="10"
          inputMode="numeric"
        />
      </Group>
      <div id={stepsPath} tabIndex={-1}>
        <h3>{t("Escalation")}</h3>
        <p className="dim small">
          {t("Other alert methods, once the alert was sent and not acknowledged for some time.")}
        </p>
        {steps.map(({ alertMethods }, index) => {
          const path = `${stepsPath}[${index}]`
          return (
            <div key={index} className={css.step}>
              <TextInput
                {...field(`${path}.after`)}
                label={t("After")}
                aria-label={t("Time before step {number}", { number: index + 1 })}
                placeholder="15m"
              />
              <NameList
                id={`${path}.alertMethods`}
                legend={t("Alert methods of step {number}", { number: index + 1 })}
                names={namesOf(alertMethods)}
                choices={choices}
                addLabel={t("Add alert method")}
                error={errorOf(`${path}.alertMethods`, `${path}.alertMethods`)}
                onChange={(names) => put({ [`${path}.alertMethods`]: methodsOf(names) })}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                size={36}
                aria-label={t("Remove step {number}", { number: index + 1 })}
                onClick={() => setSteps(steps.filter((_, each) => each !== index))}
              >
                <Cross />
              </ActionIcon>
            </div>
          )
        })}
        <AddButton
          mt="xs"
          disabled={steps.length >= (rules(stepsPath).max ?? Infinity)}
          onClick={() => setSteps([...steps, { after: "15m", alertMethods: [] }])}
        >
          {t("Add step")}
        </AddButton>
        {errorOf(stepsPath, stepsPath) !== undefined && (
          <Input.Error mt="xs">{errorOf(stepsPath, stepsPath)}</Input.Error>
        )}
      </div>
    </Card>
  )
}
