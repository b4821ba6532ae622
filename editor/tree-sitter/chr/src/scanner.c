/*
 * Tokens of constraint programs that no regular expression describes: nested comments, the full stop of a clause, and symbols whose role
 * what follows them decides. The scanner has no state.
 */
#include "tree_sitter/parser.h"

enum Token {
  BLOCK_COMMENT,
  END,
  SYMBOL_ATOM,
  POSTFIX_SYMBOL,
  ERROR_SENTINEL,
};

void *tree_sitter_chr_external_scanner_create(void) { return NULL; }
void tree_sitter_chr_external_scanner_destroy(void *payload) { (void)payload; }
unsigned tree_sitter_chr_external_scanner_serialize(void *payload, char *buffer) {
  (void)payload;
  (void)buffer;
  return 0;
}
void tree_sitter_chr_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
  (void)payload;
  (void)buffer;
  (void)length;
}

static bool is_blank(int32_t c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000 || c == 0xFEFF;
}

static bool is_one_of(int32_t c, const char *characters) {
  for (; *characters != 0; characters++) {
    if (c == *characters) return true;
  }
  return false;
}

/* Blocks of Unicode that hold punctuation, symbols and numbers that are no digits; the grammar has them character by character. */
static bool is_foreign_symbol(int32_t c) {
  if (c < 0xA1) return false;
  if (c < 0xC0) return c != 0xAA && c != 0xB5 && c != 0xB7 && c != 0xBA;
  return c == 0xD7 || c == 0xF7 || (c >= 0x2010 && c < 0x2070 && c != 0x203F && c != 0x2040) || (c >= 0x20A0 && c < 0x20D0) ||
         (c >= 0x2190 && c < 0x2C00) || (c >= 0x3001 && c < 0x3005) || (c >= 0x1D100 && c < 0x1D165) || (c >= 0x1F000 && c < 0x1FB00);
}

static bool is_symbol(int32_t c) { return is_one_of(c, "+-\\^<>=~:.?@#&$*/") || (is_foreign_symbol(c) && !is_blank(c)); }

/* Reads a comment whose first character is the next one but one; false if it has no end. */
static bool block_comment(TSLexer *lexer) {
  unsigned open = 1;
  lexer->advance(lexer, false);
  while (open > 0) {
    if (lexer->eof(lexer)) return false;
    int32_t c = lexer->lookahead;
    lexer->advance(lexer, false);
    if (c == '*' && lexer->lookahead == '/') {
      lexer->advance(lexer, false);
      open--;
    } else if (c == '/' && lexer->lookahead == '*') {
      lexer->advance(lexer, false);
      open++;
    }
  }
  return true;
}

/* Symbols that stand before an operand in most programs. */
static bool is_prefix(const char *name, unsigned length) {
  if (length == 1) return is_one_of(name[0], "-+\\?$");
  return length == 2 && name[1] == '+' && name[0] == '\\';
}

/* Whether an operand begins behind a symbol. */
static bool operand_follows(TSLexer *lexer) {
  for (;;) {
    while (is_blank(lexer->lookahead) && !lexer->eof(lexer)) lexer->advance(lexer, false);
    if (lexer->lookahead != '%') break;
    while (lexer->lookahead != '\n' && !lexer->eof(lexer)) lexer->advance(lexer, false);
  }
  int32_t c = lexer->lookahead;
  if (lexer->eof(lexer) || is_one_of(c, ")]},|;")) return false;
  if (!is_symbol(c)) return true;
  char name[2] = {0, 0};
  unsigned length = 0;
  while (is_symbol(lexer->lookahead)) {
    if (length < 2) name[length] = (char)lexer->lookahead;
    length++;
    lexer->advance(lexer, false);
    /* A comment; what is behind it is not looked for. */
    if (length == 2 && name[0] == '/' && name[1] == '*') return true;
  }
  if (lexer->lookahead == '(') return true;
  return is_prefix(name, length);
}

bool tree_sitter_chr_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
  (void)payload;
  while (is_blank(lexer->lookahead) && !lexer->eof(lexer)) lexer->advance(lexer, true);
  if (lexer->eof(lexer)) return false;

  int32_t first = lexer->lookahead;
  bool symbols = (valid[SYMBOL_ATOM] || valid[POSTFIX_SYMBOL]) && !valid[ERROR_SENTINEL];
  if (first == ';' && valid[SYMBOL_ATOM] && !valid[ERROR_SENTINEL]) {
    lexer->advance(lexer, false);
    lexer->mark_end(lexer);
    lexer->result_symbol = SYMBOL_ATOM;
    return true;
  }
  if (!is_symbol(first)) return false;
  lexer->advance(lexer, false);
  if (first == '/' && lexer->lookahead == '*') {
    if (!valid[BLOCK_COMMENT] || !block_comment(lexer)) return false;
    lexer->mark_end(lexer);
    lexer->result_symbol = BLOCK_COMMENT;
    return true;
  }
  if (first == '.' && (is_blank(lexer->lookahead) || lexer->lookahead == '%' || lexer->eof(lexer))) {
    if (!valid[END]) return false;
    lexer->mark_end(lexer);
    lexer->result_symbol = END;
    return true;
  }
  if (!symbols) return false;
  while (is_symbol(lexer->lookahead)) lexer->advance(lexer, false);
  lexer->mark_end(lexer);
  if (valid[SYMBOL_ATOM]) {
    if (lexer->lookahead != '(' && operand_follows(lexer)) return false;
    lexer->result_symbol = SYMBOL_ATOM;
    return true;
  }
  if (lexer->lookahead == '(' || operand_follows(lexer)) return false;
  lexer->result_symbol = POSTFIX_SYMBOL;
  return true;
}
