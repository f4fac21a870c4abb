/**
 * Writes the pages of the documentation to `folder` as Markdown, and `site.json` for its generator. Returns the paths of the
 * files that they were made of, relative to the repository.
 */
export declare const writePages: (
  folder: string,
  place: { readonly base: string; readonly versionsFile?: string | undefined },
) => Promise<{ readonly sources: ReadonlyArray<string> }>
