import { Button, Group, SegmentedControl, Stack, Switch } from "@mantine/core"
import { type ReactNode, useId, useState } from "react"
import { Dialog } from "../components/Dialog.tsx"
import { Select } from "../components/Filters.tsx"
import { chooseLanguage, currentLanguage, type Language, languages } from "../language/Language.ts"
import { t } from "../language/Text.tsx"
import { useColorScheme } from "./ColorScheme.ts"
import { chooseDensity, type Density, useDensity } from "../preferences/Density.ts"
import { areShortcutsOn, isApple, turnShortcuts } from "./Shortcuts.ts"
import { chooseTimeZone, localTimeZone, useTimeZone } from "../time/TimeZone.ts"

/** How the console looks to this user of this browser. Every choice takes effect at once. */
const Preferences = ({ onClose, onHelp }: { readonly onClose: () => void; readonly onHelp: () => void }) => {
  const { colorScheme, setColorScheme } = useColorScheme()
  const timeZone = useTimeZone()
  const density = useDensity()
  const [isOn, setIsOn] = useState(areShortcutsOn)
  return (
    <Dialog
      title={t("Preferences")}
      onClose={onClose}
      buttons={
        <Button variant="default" data-autofocus onClick={onClose}>
          {t("Close")}
        </Button>
      }
    >
      <Stack gap="md">
        <Choice
          label={t("Theme")}
          value={colorScheme}
          onChange={(value) => setColorScheme(value as typeof colorScheme)}
          data={[
            { value: "light", label: t("Light") },
            { value: "dark", label: t("Dark") },
            { value: "auto", label: t("System") },
          ]}
        />
        <Choice
          label={t("Density of tables and lists")}
          value={density}
          onChange={(value) => chooseDensity(value as Density)}
          data={[
            { value: "comfortable", label: t("Comfortable") },
            { value: "compact", label: t("Compact") },
          ]}
        />
        <Choice
          label={t("Time zone")}
          value={timeZone}
          onChange={(value) => chooseTimeZone(value as typeof timeZone)}
          data={[
            { value: "local", label: t("Local ({zone})", { zone: localTimeZone() }) },
            { value: "utc", label: t("UTC") },
          ]}
        />
        <Select
          label={t("Language")}
          value={currentLanguage()}
          onChange={(value) => chooseLanguage(value as Language)}
          data={Object.entries(languages).map(([value, label]) => ({ value, label }))}
        />
        <Group justify="space-between" gap="xs">
          <Switch
            label={t("Keyboard shortcuts")}
            description={t("Single keys such as j and g s. {keys} always searches.", {
              keys: isApple ? "⌘K" : "Ctrl K",
            })}
            checked={isOn}
            onChange={({ currentTarget: { checked } }) => {
              turnShortcuts(checked)
              setIsOn(checked)
            }}
          />
          <Button variant="subtle" size="compact-sm" onClick={onHelp}>
            {t("Show shortcuts")}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
export default Preferences

/** One of a few values, all of which are visible. */
const Choice = ({
  label,
  ...control
}: {
  readonly label: ReactNode
  readonly value: string
  readonly onChange: (value: string) => void
  readonly data: Array<{ value: string; label: string }>
}) => {
  const labelId = useId()
  return (
    <Stack gap="2xs">
      <span id={labelId}>{label}</span>
      <SegmentedControl aria-labelledby={labelId} fullWidth {...control} />
    </Stack>
  )
}
