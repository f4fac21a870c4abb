import type german from "./messages/de.json"

/** The languages of the console, in their own words. A language other than English has a catalog of its name. */
export const languages = { en: "English", de: "Deutsch" } as const

export type Language = keyof typeof languages

const storageKey = "tocsin.language"

const isLanguage = (text: string): text is Language => Object.hasOwn(languages, text)

/** What the user has chosen; otherwise, the first language of the browser that the console has. */
const chosenLanguage = (): Language => {
  const preferred = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase())
  return [localStorage.getItem(storageKey) ?? "", ...preferred].find(isLanguage) ?? "en"
}

let language: Language = "en"
let catalog: Partial<typeof german> = {}

/** Loads the messages of the user's language. To be called once, before anything is drawn. */
export const loadLanguage = async (): Promise<void> => {
  language = chosenLanguage()
  document.documentElement.lang = language
  if (language !== "en") catalog = (await import("./messages/de.json")).default
}

export const currentLanguage = (): Language => language

/** Chooses a language, and draws everything again in it. */
export const chooseLanguage = (chosen: Language): void => {
  localStorage.setItem(storageKey, chosen)
  location.reload()
}

/** An English message, which is the key of its translations. One without a translation does not compile. */
export type Message = keyof typeof german

/** The message in the user's language. */
export const translationOf = (message: Message): string => catalog[message] ?? message
