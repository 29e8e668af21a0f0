/* The model in a C program: in_c FOLDER/points/1/points.cntk */
#include <cantik/c_api.h>

#include <stdio.h>

int main(int count, char** words) {
  const int64_t shape[] = {1, 2};
  const float numbers[] = {3, 3};
  const cantik_array point = {CANTIK_FLOAT32, 2, shape, numbers, 0, 0};
  cantik_array chances;
  cantik_model* model = cantik_model_load(count > 1 ? words[1] : 0);
  cantik_result* result = model ? cantik_model_evaluate(model, &point, 1, 0) : 0;
  int failed = !result || cantik_result_output(result, 0, &chances);
  if (failed)
    fprintf(stderr, "%s\n", cantik_last_error());
  else
    printf("(3, 3) is of kind %d\n", ((const float*)chances.data)[1] > ((const float*)chances.data)[0] ? 1 : 0);
  cantik_result_free(result);
  cantik_model_free(model);
  return failed;
}
