/**
 * What an editor does not show of a text file and has to keep: its byte order mark, and how each of
 * its lines ends. The editor knows `\n` alone; a line that an edit does not concern is written as
 * it was read, a new one like most others.
 */

export interface ReadText {
  /** With `\n` at the end of every line. */
  readonly text: string;
  readonly form: FileForm;
}

export interface FileForm {
  readonly mark: boolean;
  /** Line ends in the order of the lines of `text`. */
  readonly ends: readonly string[];
  readonly text: string;
}

const LINE_END = /\r\n?|\n/g;

export function readForm(written: string): ReadText {
  const mark = written.startsWith("\uFEFF");
  const bare = mark ? written.slice(1) : written;
  const text = bare.replace(LINE_END, "\n");
  return { text, form: { mark, ends: bare.match(LINE_END) ?? [], text } };
}

/** The file for a text that an editor made of `form.text`. */
export function inForm(text: string, { mark, ends, text: before }: FileForm): string {
  const start = mark ? "\uFEFF" : "";
  const usual = mostFrequent(ends);
  if (ends.every((end) => end === usual))
    return start + (usual === "\n" ? text : text.replaceAll("\n", usual));
  const [old, lines] = [before.split("\n"), text.split("\n")];
  let same = 0;
  while (same < old.length && same < lines.length && old[same] === lines[same]) same++;
  let behind = 0;
  const room = Math.min(old.length, lines.length) - same;
  while (behind < room && old.at(-1 - behind) === lines.at(-1 - behind)) behind++;
  return (
    start +
    lines
      .map((line, i) => {
        if (i === lines.length - 1) return line;
        const isBehind = i >= lines.length - behind;
        const end = i < same ? ends[i] : isBehind ? ends[i - lines.length + old.length] : usual;
        return line + (end ?? usual);
      })
      .join("")
  );
}

function mostFrequent(ends: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const end of ends) counts.set(end, (counts.get(end) ?? 0) + 1);
  let [usual, most] = ["\n", 0];
  for (const [end, count] of counts) if (count > most) [usual, most] = [end, count];
  return usual;
}
