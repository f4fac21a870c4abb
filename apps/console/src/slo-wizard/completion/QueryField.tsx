import { Textarea, type TextareaProps } from "@mantine/core"
import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from "react"
import { t } from "../../language/Text.tsx"
import { caretPlace } from "./CaretPlace.ts"
import { useMetricNames } from "./MetricNames.ts"
import css from "./QueryField.module.css"
import { insertionOf, type QueryOption, queryOptions } from "./QueryOptions.ts"
import { queryPlaceAt } from "./QueryPlace.ts"

/** Options that are shown at once; the arrow keys reach the others. */
const shownMax = 8

/** Width of the list, in pixels, unless the field is narrower. */
const listWidth = 380

interface QueryFieldProps extends Omit<TextareaProps, "onChange" | "value"> {
  readonly value: string
  readonly onChange: (value: string) => void
  /** `project/name`; empty: only the words of PromQL are completed. */
  readonly dataSource: string
  /** Whether the query is a series alone, whose name lacks a suffix, such as `_bucket` or none. */
  readonly seriesSuffix?: string | undefined
}

/**
 * A query whose metrics, labels, values and functions are completed.
 *
 * Typing opens the list, Ctrl Space does anywhere; the focus stays in the text. A textarea cannot have the `combobox`
 * role, so it is a text box with a list (`aria-autocomplete`), whose active option assistive technology reads.
 */
export const QueryField = ({ value, onChange, dataSource, seriesSuffix, ...props }: QueryFieldProps) => {
  const listId = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  /** Where the text is being completed. */
  const [cursor, setCursor] = useState<number>()
  const [active, setActive] = useState(0)
  const [isAsked, setIsAsked] = useState(false)
  const place = cursor === undefined ? undefined : queryPlaceAt(value, cursor)
  const { names, isComplete, problem } = useMetricNames(dataSource, place, seriesSuffix ?? "")
  const options = place === undefined ? [] : queryOptions(place, names, seriesSuffix !== undefined)
  // What is complete needs no completion.
  const isDone = !isAsked && options[0]?.text === place?.typed
  const isOpen = options.length > 0 && !isDone
  const at = Math.min(active, options.length - 1)

  const close = () => setCursor(undefined)
  const openAt = (next: number, isExplicit: boolean) => {
    setCursor(next)
    setActive(0)
    setIsAsked(isExplicit)
  }
  const typedAt = (text: string, next: number) => {
    const found = queryPlaceAt(text, next)
    if (found === undefined || (found.kind === "expression" && found.typed === "")) close()
    else openAt(next, false)
  }
  const accept = (option: QueryOption) => {
    const element = area.current
    if (place === undefined || element === null) return
    const inserted = insertionOf(value, place, option)
    element.focus()
    element.setSelectionRange(inserted.from, inserted.to)
    // The only way that the browser can undo.
    if (!document.execCommand("insertText", false, inserted.text)) {
      element.setRangeText(inserted.text)
      onChange(element.value)
    }
    element.setSelectionRange(inserted.cursor, inserted.cursor)
    if (option.kind === "label" && place.kind === "label") openAt(inserted.cursor, false)
    else close()
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { key, ctrlKey, altKey, metaKey, shiftKey } = event
    if (event.nativeEvent.isComposing) return
    if (ctrlKey && key === " ") {
      event.preventDefault()
      openAt(event.currentTarget.selectionStart, true)
      return
    }
    if (ctrlKey || altKey || metaKey || !isOpen) {
      if (key === "Escape") close()
      return
    }
    const go = (by: number) => setActive((at + by + options.length) % options.length)
    const option = options[at]
    if (key === "ArrowDown") go(1)
    else if (key === "ArrowUp") go(-1)
    else if (key === "Escape") {
      event.stopPropagation()
      close()
    } else if ((key === "Enter" || key === "Tab") && !shiftKey && option !== undefined) accept(option)
    else return
    event.preventDefault()
  }

  const first = Math.max(0, Math.min(at - shownMax + 1, options.length - shownMax))
  const hidden = options.length - shownMax
  return (
    <div className={css.field}>
      <Textarea
        {...props}
        ref={area}
        value={value}
        autosize
        minRows={2}
        spellCheck={false}
        autoCapitalize="none"
        autoComplete="off"
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={isOpen ? listId : undefined}
        aria-activedescendant={isOpen ? `${listId}-${at}` : undefined}
        onChange={({ currentTarget }) => {
          onChange(currentTarget.value)
          typedAt(currentTarget.value, currentTarget.selectionStart)
        }}
        onKeyDown={onKeyDown}
        onSelect={({ currentTarget }) => {
          if (cursor !== undefined && currentTarget.selectionStart !== cursor) close()
        }}
        onBlur={close}
      />
      {isOpen && place !== undefined && (
        <List area={area.current} at={place.from}>
          <ul role="listbox" id={listId} aria-label={t("Completions")}>
            {options.slice(first, first + shownMax).map((option, index) => (
              <li
                key={`${option.kind} ${option.text}`}
                id={`${listId}-${first + index}`}
                role="option"
                aria-selected={first + index === at}
                aria-setsize={options.length}
                aria-posinset={first + index + 1}
                // The focus stays in the text.
                onMouseDown={(event) => {
                  event.preventDefault()
                  accept(option)
                }}
              >
                <span className={css.text}>{option.text}</span>
                <span className={css.kind}>{kindName(option.kind)}</span>
              </li>
            ))}
          </ul>
          {(hidden > 0 || !isComplete) && (
            <p>
              {isComplete
                ? t("{count, plural, one {# more} other {# more}}. Keep typing to narrow the list.", {
                    count: hidden,
                  })
                : t("The data source has more names. Keep typing to narrow the list.")}
            </p>
          )}
        </List>
      )}
      {cursor !== undefined && problem !== undefined && (
        <p className="dim small">
          {problem === ""
            ? t("Completion is unavailable: names could not be read.")
            : t("Completion is unavailable: {reason}.", { reason: problem })}
        </p>
      )}
      <span className="visually-hidden" role="status">
        {isOpen && t("{count, plural, one {# completion} other {# completions}}", { count: options.length })}
      </span>
    </div>
  )
}

/** Below the line of the text that is completed, within the field. */
const List = ({
  area,
  at,
  children,
}: {
  readonly area: HTMLTextAreaElement | null
  readonly at: number
  readonly children: React.ReactNode
}) => {
  const list = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const field = list.current?.parentElement
    if (area === null || list.current === null || field == null) return
    const [inner, outer] = [area.getBoundingClientRect(), field.getBoundingClientRect()]
    const { left, top, lineHeight } = caretPlace(area, at)
    const width = Math.min(listWidth, outer.width)
    const start = Math.min(inner.left - outer.left + left, outer.width - width)
    Object.assign(list.current.style, {
      width: `${width}px`,
      left: `${Math.max(0, start)}px`,
      top: `${inner.top - outer.top + Math.min(top + lineHeight, inner.height) + 4}px`,
    })
  })
  return (
    <div ref={list} className={css.list}>
      {children}
    </div>
  )
}

const kindName = (kind: QueryOption["kind"]): string => {
  switch (kind) {
    case "metric":
      return t("metric")
    case "function":
      return t("function")
    case "aggregation":
      return t("aggregation")
    case "keyword":
      return t("keyword")
    case "label":
      return t("label")
    case "value":
      return t("value")
  }
}
