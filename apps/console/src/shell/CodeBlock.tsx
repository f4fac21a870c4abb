import { Button } from "@mantine/core"
import { useEffect, useState } from "react"
import css from "./CodeBlock.module.css"

/** Text to read as it is, and to copy. */
export const CodeBlock = ({
  text,
  label,
  isWrapped = false,
  isStale = false,
}: {
  readonly text: string
  /** What the text is, for the button and for readers of the screen. */
  readonly label: string
  readonly isWrapped?: boolean
  /** It is what was right last, not what is. */
  readonly isStale?: boolean
}) => (
  <div className={css.block}>
    <pre
      className={`${css.text} ${isWrapped ? css.wrapped : ""} ${isStale ? css.stale : ""}`}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      {text}
    </pre>
    <div className={css.copy}>
      <CopyButton text={text} label={label} />
    </div>
  </div>
)

/** Copies a text. */
const CopyButton = ({ text, label }: { readonly text: string; readonly label: string }) => {
  const [state, setState] = useState<"ready" | "copied" | "failed">("ready")
  useEffect(() => {
    if (state === "ready") return
    const timer = setTimeout(() => setState("ready"), 2_000)
    return () => clearTimeout(timer)
  }, [state])
  return (
    <Button
      variant="default"
      size="compact-xs"
      aria-label={`Copy: ${label}`}
      onClick={() =>
        copyText(text).then(
          () => setState("copied"),
          () => setState("failed"),
        )
      }
    >
      <span aria-live="polite">
        {state === "copied" ? "Copied" : state === "failed" ? "Select and copy it" : "Copy"}
      </span>
    </Button>
  )
}

/** The clipboard is there on secure pages only; elsewhere a selection is copied the old way. */
const copyText = async (text: string): Promise<void> => {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const area = document.createElement("textarea")
  area.value = text
  area.className = "visually-hidden"
  document.body.append(area)
  area.select()
  const isCopied = document.execCommand("copy")
  area.remove()
  if (!isCopied) throw new Error("The browser does not copy")
}
