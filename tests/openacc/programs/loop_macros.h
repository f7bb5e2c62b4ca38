#define FROM(i, first, end) for (int i = (first); i < (end); ++i)
