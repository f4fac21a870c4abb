import { Button } from "@mantine/core"
import { Dialog } from "../components/Dialog.tsx"
import { t } from "../language/Text.tsx"
import { areShortcutsOn, shortcutHelp } from "./Shortcuts.ts"
import css from "./Palette.module.css"

/** All keyboard shortcuts. */
const ShortcutHelp = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog
    title={t("Keyboard shortcuts")}
    onClose={onClose}
    isWide
    buttons={
      <Button variant="default" data-autofocus onClick={onClose}>
        {t("Close")}
      </Button>
    }
  >
    {!areShortcutsOn() && <p>{t("Single-key shortcuts are turned off. Turn them on in the preferences.")}</p>}
    <div className={css.help}>
      {shortcutHelp().map(({ name, keys }) => (
        <section key={name}>
          <h3>{name}</h3>
          <dl>
            {keys.map(([combination, effect]) => (
              <div key={combination}>
                <dt>
                  {combination.split(" ").map((key) => (
                    <kbd key={key} className={css.key}>
                      {key}
                    </kbd>
                  ))}
                </dt>
                <dd>{effect}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  </Dialog>
)
export default ShortcutHelp
