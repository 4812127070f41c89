// A password input that can be shown, for signing in and for choosing a new one.
import { Eye, EyeOff } from "lucide-react";
import { useState } from "react";
import { Field, type FieldProps } from "./field.tsx";

export function PasswordField(props: Omit<FieldProps, "type" | "end">) {
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : Eye;
  return (
    <Field
      {...props}
      type={shown ? "text" : "password"}
      spellCheck={false}
      autoCapitalize="none"
      end={
        <button
          type="button"
          aria-pressed={shown}
          aria-label="Show password"
          title={shown ? "Hide password" : "Show password"}
          onClick={() => setShown(!shown)}
          className="absolute inset-y-1 right-1 grid w-9 place-items-center rounded-sm text-ink-faint hover:text-ink"
        >
          <Icon className="size-4" aria-hidden />
        </button>
      }
    />
  );
}
