// One field of a generated form that has no fields within: a text, a number, a choice, yes or no, or JSON.
import { mayBeEmpty } from "../job-form/may-be-empty.ts";
import { mistakeWithin } from "../job-form/mistakes.ts";
import type { Mistakes } from "../job-form/read-draft.ts";
import type { NumberShape, Shape, TextShape } from "../job-form/shape.ts";
import { sentence } from "../sentence.ts";
import { CodeText } from "./code-text.tsx";
import { Field } from "./field.tsx";
import { SelectField } from "./select-field.tsx";
import { TextAreaField } from "./text-area-field.tsx";

export interface ShapeLeafProps {
  shape: Shape;
  label: string;
  isLabelHidden?: boolean | undefined;
  path: string;
  isRequired: boolean;
  mistakes: Mistakes;
  text: string;
  onChange: (text: string) => void;
}

/** From here on a text rather has several lines than one. */
const longLength = 4_000;

export function ShapeLeaf(props: ShapeLeafProps) {
  const { shape, isRequired, text } = props;
  const frame = {
    label: isRequired ? props.label : `${props.label} (optional)`,
    isLabelHidden: props.isLabelHidden,
    error: mistakeWithin(props.mistakes, props.path),
    "aria-required": isRequired && !mayBeEmpty(shape),
    value: text,
    onChange: (event: { target: { value: string } }) => props.onChange(event.target.value),
  };
  const about = shape.description;
  switch (shape.kind) {
    case "text": {
      const hint = <Hint description={about} rule={textRule(shape)} pattern={toldPattern(shape)} />;
      if ((shape.lengthMax ?? 0) >= longLength) {
        return <TextAreaField {...frame} hint={hint} isCode spellCheck={false} />;
      }
      const type = shape.format === "date" ? "date" : "text";
      return (
        <Field
          {...{ ...frame, hint, type }}
          maxLength={shape.lengthMax}
          {...{ autoComplete: "off", autoCapitalize: "none", spellCheck: false }}
        />
      );
    }
    case "number":
      return (
        <Field
          {...frame}
          hint={<Hint description={about} rule={numberRule(shape)} />}
          inputMode={shape.isInteger ? "numeric" : "decimal"}
          autoComplete="off"
        />
      );
    case "boolean":
      return (
        <SelectField
          {...frame}
          hint={<Hint description={about} />}
          options={[
            ...(isRequired ? [] : [unset]),
            { value: "true", words: "Yes" },
            { value: "false", words: "No" },
          ]}
        />
      );
    case "choice": {
      const options = shape.options.map((option, index) => ({
        value: String(index),
        words: String(option),
      }));
      const isOpen = !isRequired || text === "";
      return (
        <SelectField
          {...frame}
          hint={<Hint description={about} />}
          options={isOpen ? [isRequired ? unchosen : unset, ...options] : options}
        />
      );
    }
    default:
      return <TextAreaField {...frame} hint={<Hint description={about} rule="as JSON" />} isCode />;
  }
}

const unset = { value: "", words: "Not set" };
const unchosen = { value: "", words: "Choose…" };

interface HintProps {
  description: string | undefined;
  rule?: string | undefined;
  pattern?: string | undefined;
}

function Hint({ description = "", rule = "", pattern }: HintProps) {
  const words = [description, rule].map(sentence).filter((part) => part !== "");
  return (
    <>
      <CodeText>{words.join(" ")}</CodeText>
      {pattern !== undefined && (
        <>
          It must match <code className="break-all">{pattern}</code>
        </>
      )}
    </>
  );
}

const examples: Partial<Record<string, string>> = {
  "date-time": "such as `2026-11-16T12:00:00Z`",
  time: "such as `12:00:00`",
  duration: "such as `P1DT2H`",
  uri: "an address, such as `https://example.org`",
  email: "an e-mail address",
  uuid: "a UUID",
};

function textRule({ format, lengthMin = 0 }: TextShape): string | undefined {
  if (format !== undefined) return examples[format];
  return lengthMin > 1 ? `at least ${lengthMin} characters` : undefined;
}

/** Told only where nothing else says what is meant. */
function toldPattern({ format, pattern, description }: TextShape): string | undefined {
  return format === undefined && description === undefined ? pattern : undefined;
}

function numberRule({ min, max }: NumberShape): string | undefined {
  const least = min === undefined || min <= Number.MIN_SAFE_INTEGER ? undefined : min;
  const most = max === undefined || max >= Number.MAX_SAFE_INTEGER ? undefined : max;
  if (least !== undefined && most !== undefined) return `from ${least} to ${most}`;
  if (least !== undefined) return `at least ${least}`;
  return most === undefined ? undefined : `at most ${most}`;
}
