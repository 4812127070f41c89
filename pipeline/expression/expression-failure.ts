// The expression is right, but with these values it has no result.

export class ExpressionFailure extends Error {
  override readonly name = "ExpressionFailure";
}
