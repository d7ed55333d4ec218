/**
 * A field that makes its edit when a person is done with it: by Enter or by leaving it. Escape
 * gives back what was there.
 */
import { useEffect, useState } from "react";

interface Props {
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly unit?: string;
  readonly isReadOnly: boolean;
  readonly about?: string;
  commit(value: string): void;
}

export function Field({ label, value, placeholder, unit, isReadOnly, about, commit }: Props) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const done = (): void => {
    if (text.trim() !== value) commit(text.trim());
  };
  return (
    <label className="field" title={about}>
      <span>{label}</span>
      <input
        value={text}
        placeholder={placeholder}
        readOnly={isReadOnly}
        onChange={({ target }) => setText(target.value)}
        onBlur={done}
        onKeyDown={({ key }) => {
          if (key === "Enter") done();
          else if (key === "Escape") setText(value);
        }}
      />
      <small>{unit ?? ""}</small>
    </label>
  );
}
