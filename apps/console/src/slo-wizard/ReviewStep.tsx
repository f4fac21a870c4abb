import { Button, Group, Textarea } from "@mantine/core"
import { writeYamlDocument } from "@tocsin/formats/yaml"
import { CodeBlock } from "../components/CodeBlock.tsx"
import { Notice } from "../components/Notice.tsx"
import { Card } from "../components/Page.tsx"
import { Warnings } from "../components/Warnings.tsx"
import { t } from "../language/Text.tsx"
import { DefinitionDiff } from "../history/DefinitionDiff.tsx"
import { stepName } from "./StepName.ts"
import type { Wizard } from "./Wizard.ts"
import css from "./Wizard.module.css"
import { steps } from "./SloDocument.ts"

/** Everything that is going to be applied, as YAML, with what is still wrong and what changes. */
export const ReviewStep = ({ wizard }: { readonly wizard: Wizard }) => {
  const { definitions, check, edited } = wizard
  const yaml = wizard.yaml ?? definitions.map((each) => writeYamlDocument(each)).join("---\n")
  const issues = check?.issues ?? []
  const ownIssues = issues.filter(({ step }) => step === "review")
  return (
    <>
      <Card title={t("Issues")}>
        <div role="status" aria-busy={wizard.isChecking}>
          {check === undefined ? (
            <p className="dim">{t("Checking…")}</p>
          ) : issues.length === 0 ? (
            <Notice kind="ok">{t("The server accepts these definitions. Nothing is saved yet.")}</Notice>
          ) : (
            <Notice kind="bad">
              {t("{count, plural, one {Fix # error to continue.} other {Fix # errors to continue.}}", {
                count: issues.length,
              })}
            </Notice>
          )}
        </div>
        <Warnings warnings={check?.warnings ?? []} useOf={wizard.useOf} />
        {steps
          .filter((step) => step !== "review" && wizard.issuesOf(step).length > 0)
          .map((step) => (
            <div key={step}>
              <ul className={css.issues}>
                {wizard.issuesOf(step).map(({ path, message }) => (
                  <li key={`${path} ${message}`}>{`${path}: ${message}`}</li>
                ))}
              </ul>
              <Button variant="default" size="compact-sm" mt="xs" onClick={() => wizard.goTo(step)}>
                {t("Go to {step}", { step: stepName(step) })}
              </Button>
            </div>
          ))}
      </Card>
      <Card title={t("Definition")}>
        <Textarea
          className={css.yaml}
          label={t("Definitions as YAML")}
          description={t("You can edit the YAML. It is saved exactly as shown.")}
          value={yaml}
          error={
            ownIssues.length === 0
              ? undefined
              : ownIssues
                  .map(({ path, message }) => (path === "" ? message : `${path}: ${message}`))
                  .join(" ")
          }
          autosize
          minRows={12}
          maxRows={36}
          spellCheck={false}
          onChange={({ currentTarget }) => wizard.setYaml(currentTarget.value)}
        />
        {wizard.yaml !== undefined && (
          <Group>
            <Button variant="default" size="compact-sm" onClick={() => wizard.setYaml(undefined)}>
              {t("Discard YAML changes")}
            </Button>
          </Group>
        )}
        <p className="dim small">{t("To apply it from the command line instead:")}</p>
        <CodeBlock text={`tocsin apply -f - <<'EOF'\n${yaml}EOF`} label={t("Command that applies it")} />
      </Card>
      {check !== undefined && check.applied.length > 0 && (
        <Card title={edited === undefined ? t("What will be created") : t("Changes")}>
          {check.applied.map(({ kind, name, outcome, before, after }) => (
            <section key={`${kind} ${name}`} aria-label={`${kind} ${name}`}>
              <h3>
                {kind} {name} <span className="dim">{outcomeText(outcome)}</span>
              </h3>
              {outcome === "updated" && after !== undefined && (
                <DefinitionDiff
                  before={before}
                  after={after}
                  label={t("Changes of {kind} {name}", { kind, name })}
                />
              )}
            </section>
          ))}
        </Card>
      )}
    </>
  )
}

/** What applying a definition does. */
export const outcomeText = (outcome: "created" | "updated" | "unchanged"): string => {
  switch (outcome) {
    case "created":
      return t("will be created")
    case "updated":
      return t("will be updated")
    case "unchanged":
      return t("does not change")
  }
}
